package runtime

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxReason is how much of a reason is stored, in bytes.
const maxReason = 500

// delivery renders everything that the database will need of an event: done
// before it is touched.
func (rq *request) delivery() (*Delivery, *problem) {
	ev := rq.event
	rq.convertForm()
	key, fingerprint, err := rq.identify()
	if err != nil {
		return nil, err
	}
	rq.seen.Key = key
	d := rq.newDelivery(key, fingerprint)
	d.Event, d.Status, d.Records = ev.index, StatusDone, make([]RecordRow, len(ev.records))
	d.Deadline = rq.start.Add(ev.Timing.Deadline)
	on, err := rq.holds(ev.when)
	switch {
	case err != nil:
		return nil, err
	case !on:
		rq.endAs(d, StatusIgnored, "")
		return d, nil
	}
	rq.seen.Deviations = rq.deviations(ev.enums)
	d.Document = rq.document()
	if err = rq.effects(d); err == nil {
		return d, nil
	}
	if err.outcome != Rejected {
		return nil, err
	}
	rq.endAs(d, StatusRejected, err.reason)
	return d, nil
}

func (rq *request) newDelivery(key string, fingerprint []byte) *Delivery {
	d := &Delivery{
		Endpoint: rq.endpoint.Name, Tenant: rq.tenant, Key: key, LockKey: LockKey(rq.rcv.def.Table, key),
		Type: rq.seen.Type, Fingerprint: fingerprint, ReceivedAt: rq.at.UTC(),
		ContentType: shorten(rq.http.Header.Get("Content-Type"), maxReason), Body: rq.body, Redacted: rq.redacted(),
	}
	if rq.event != nil && rq.event.RefuseReplay {
		h := sha256.New()
		h.Write(rq.scope(nil))
		h.Write(rq.body)
		d.BodyHash = h.Sum(nil)
		d.BodyLock = LockKey(rq.rcv.def.Table+" body", string(d.BodyHash))
	}
	return d
}

// effects renders answer, rows and messages of an event that will be `done`.
func (rq *request) effects(d *Delivery) (err *problem) {
	ev := rq.event
	if d.Response, err = rq.stored(&ev.responses.of[Processed]); err != nil {
		return err
	}
	if d.Records, err = rq.rows(ev.records); err != nil {
		return err
	}
	if d.Messages, err = rq.outgoing(ev.messages, rq.rcv.def.Source, d.Key); err != nil {
		return err
	}
	if ev.KeepPayload {
		d.Payload = d.Keepable()
	}
	if ev.Handler {
		d.Header = rq.visibleHeader()
	}
	return nil
}

// businessRows name the rows of record effects that other events can meet by a
// UNIQUE constraint; NULL meets nothing.
func (rq *request) businessRows(d *Delivery) []string {
	if rq.event == nil {
		return nil
	}
	var rows []string
	if d.BodyHash != nil {
		rows = append(rows, "\x00body\x00"+string(d.BodyHash))
	}
	if d.Status != StatusDone {
		return rows
	}
	for i := range rq.event.records {
		if !d.Records[i].On {
			continue
		}
		for _, unique := range rq.event.records[i].Unique {
			if row, ok := rq.event.records[i].businessRow(unique, d.Records[i].Columns); ok && !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

func (r *record) businessRow(unique []int, columns []Datum) (string, bool) {
	b := append(make([]byte, 0, 64), r.Table...)
	for _, i := range unique {
		if !columns[i].Valid {
			return "", false
		}
		b = append(b, 0)
		b = append(b, r.columns[i].Name...)
		b = append(b, 0)
		b = columns[i].append(b, r.columns[i].Type)
	}
	return string(b), true
}

// append writes a value in a form that equal values share.
func (d *Datum) append(b []byte, t ColumnType) []byte {
	switch t {
	case IntegerColumn:
		return strconv.AppendInt(b, d.Int, 10)
	case BooleanColumn:
		return strconv.AppendBool(b, d.Bool)
	case TimestampColumn:
		return strconv.AppendInt(b, d.Time.UnixMicro(), 10)
	case BytesColumn:
		return strconv.AppendQuote(b, string(d.Bytes))
	default:
		return strconv.AppendQuote(b, d.Text)
	}
}

// endAs turns d into one without effects: a row with an end, a reason, and the
// body, because somebody will want to look at it.
func (rq *request) endAs(d *Delivery, s Status, reason string) {
	d.Status, d.Reason = s, shorten(reason, maxReason)
	d.Records, d.Messages = make([]RecordRow, len(d.Records)), nil
	d.Payload = d.Keepable()
	stored, err := rq.stored(&rq.responses().of[outcomeOf(s)])
	if err != nil { // its template needs what is not there
		stored = StoredResponse{Status: rq.responses().of[outcomeOf(s)].status}
	}
	d.Response = stored
}

// rejection is d again, as an event that can never succeed.
func (rq *request) rejection(d *Delivery, reason string) *Delivery {
	r := *d
	rq.endAs(&r, StatusRejected, reason)
	return &r
}

// unlisted is the delivery of a type that nobody listed; nil where it has no
// key, and can only be counted.
func (rq *request) unlisted() *Delivery {
	if len(rq.endpoint.unknownKey) == 0 {
		return nil
	}
	key, err := rq.eventKey(rq.endpoint.unknownKey)
	if err != nil {
		return nil
	}
	rq.seen.Key = key
	fingerprint, err := rq.digest(&members{raw: true})
	if err != nil {
		return nil
	}
	d := rq.newDelivery(key, fingerprint)
	d.Event, d.Deadline = -1, rq.start.Add(rq.endpoint.Timing.Deadline)
	rq.endAs(d, StatusIgnored, "")
	return d
}

// visibleHeader is the request's header without credentials and signatures.
func (rq *request) visibleHeader() http.Header {
	h := make(http.Header, len(rq.http.Header))
	for name, lines := range rq.http.Header {
		if !rq.endpoint.secretive[name] {
			h[name] = lines
		}
	}
	return h
}

// timing is the event's, or the endpoint's for unlisted types.
func (rq *request) timing() Timing {
	if rq.event != nil {
		return rq.event.Timing
	}
	return rq.endpoint.Timing
}

// shorten cuts text to at most n bytes, at a rune, and drops NULs, which no
// text column takes.
func shorten(text string, n int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// until is the time left to t, for timers.
func until(t time.Time) time.Duration { return max(0, time.Until(t)) }
