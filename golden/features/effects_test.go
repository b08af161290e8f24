package features_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/whgen/whgen/golden/features/effects"
	"github.com/whgen/whgen/golden/features/effectspg"
	"github.com/whgen/whgen/golden/internal/deliver"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/acceptance/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// rig is a receiver of effects.openapi.yaml and the world around it.
type rig struct {
	*testing.T
	db      *sql.DB
	rcv     *whrt.Receiver
	clock   *whrt.OffsetClock
	crm     *httptest.Server
	reached chan string // what the outside was asked
	asks    sync.Mutex
	answers []int       // of the outside, in order; then 204
	called  chan string // keys that the call effect was called with
	asked   func(note func(shop, note, text string, count int64), shout func(text string)) error
}

func (g *rig) options() (whrt.Secrets, whrt.Settings) {
	return whrt.SecretsMap(map[string]string{"EFFECTS_SECRET": deliver.Secret}),
		whrt.SettingsMap{"CRM_URL": g.crm.URL + "/api", "CRM_TOKEN": "token", "GUARDED_URL": g.crm.URL}
}

type liteHandler struct{ *rig }

func (h liteHandler) Asked(_ context.Context, tx effects.Tx, _ whrt.Incoming[effects.Asked]) error {
	return h.asked(func(shop, note, text string, count int64) {
		tx.Outbox.Note(shop, note, effects.NotePayload{Text: text, Count: count})
	}, func(text string) { tx.Outbox.Shout(effects.ShoutPayload{Text: text}) })
}

func (h liteHandler) SendCall(_ context.Context, m effects.CallMessage) error {
	h.called <- m.IdempotencyKey + " " + m.Payload.Name
	return whrt.Uncertain(errors.New("no answer"))
}

func (h liteHandler) SendShout(_ context.Context, m effects.ShoutMessage) error {
	h.reached <- "shout " + m.Payload.Text
	return nil
}

type pgHandler struct{ *rig }

func (h pgHandler) Asked(_ context.Context, tx effectspg.Tx, _ whrt.Incoming[effectspg.Asked]) error {
	return h.asked(func(shop, note, text string, count int64) {
		tx.Outbox.Note(shop, note, effectspg.NotePayload{Text: text, Count: count})
	}, func(text string) { tx.Outbox.Shout(effectspg.ShoutPayload{Text: text}) })
}

func (h pgHandler) SendCall(_ context.Context, m effectspg.CallMessage) error {
	h.called <- m.IdempotencyKey + " " + m.Payload.Name
	return whrt.Uncertain(errors.New("no answer"))
}

func (h pgHandler) SendShout(_ context.Context, m effectspg.ShoutMessage) error {
	h.reached <- "shout " + m.Payload.Text
	return nil
}

func (g *rig) onSQLite() {
	g.db = deliver.SQLite(g)
	must(g, effects.Migrate(g.Context(), g.db))
	secrets, settings := g.options()
	h := liteHandler{g}
	var err error
	g.rcv, err = effects.New(g.Context(), effects.Config{DB: g.db, Secrets: secrets, Settings: settings, Clock: g.clock, Handler: h, Call: h, Shout: h})
	must(g, err)
}

func (g *rig) onPostgres() {
	pool, err := pgxpool.New(g.Context(), pgtest.DSN(g))
	must(g, err)
	g.Cleanup(pool.Close)
	g.db = stdlib.OpenDBFromPool(pool)
	g.Cleanup(func() { _ = g.db.Close() })
	must(g, effectspg.Migrate(g.Context(), pool))
	secrets, settings := g.options()
	h := pgHandler{g}
	g.rcv, err = effectspg.New(g.Context(), effectspg.Config{DB: pool, Secrets: secrets, Settings: settings, Clock: g.clock, Handler: h, Call: h, Shout: h})
	must(g, err)
}

// each runs a test on both engines, with the relay at work.
func each(t *testing.T, test func(g *rig)) {
	for name, start := range map[string]func(*rig){"sqlite": (*rig).onSQLite, "postgres": (*rig).onPostgres} {
		t.Run(name, func(t *testing.T) {
			g := &rig{T: t, clock: &whrt.OffsetClock{}, reached: make(chan string, 100), called: make(chan string, 100)}
			g.crm = httptest.NewServer(http.HandlerFunc(g.serve))
			t.Cleanup(g.crm.Close)
			start(g)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- g.rcv.Run(ctx) }()
			test(g)
			stop()
			must(t, <-ended)
		})
	}
}

// serve is the outside.
func (g *rig) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	key := "no key"
	if k := r.Header.Get("X-Key"); k != "" {
		key = k
	}
	said := []string{r.Method, r.URL.EscapedPath(), key, r.Header.Get("Authorization"), string(body)}
	w.WriteHeader(g.answer())
	g.reached <- strings.Join(said, " ")
}

func (g *rig) answer() int {
	g.asks.Lock()
	defer g.asks.Unlock()
	if len(g.answers) == 0 {
		return http.StatusNoContent
	}
	status := g.answers[0]
	g.answers = g.answers[1:]
	return status
}

func (g *rig) answerWith(statuses ...int) {
	g.asks.Lock()
	defer g.asks.Unlock()
	g.answers = statuses
}

func (g *rig) deliver(body string, status int, answer string) {
	g.Helper()
	deliver.Want(g, g.rcv, deliver.Hex("X-Signature"), body, status, answer)
}

func (g *rig) wantReached(want string) {
	g.Helper()
	select {
	case got := <-g.reached:
		g.compare(got, want)
	case <-time.After(20 * time.Second):
		g.Fatalf("the outside was not reached; want %s", want)
	}
}

// wantAgain moves the clock on, a little at a time, until the next attempt: the
// end of the one before may not be written yet.
func (g *rig) wantAgain(want string) {
	g.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 10 { // less than a lease in all
		g.clock.Advance(3 * time.Second)
		g.rcv.Wake()
		select {
		case got := <-g.reached:
			g.compare(got, want)
			return
		case <-tick.C:
		}
	}
	g.wantReached(want)
}

func (g *rig) compare(got, want string) {
	g.Helper()
	if got != want {
		g.Errorf("the outside got\n%s\nwant\n%s", got, want)
	}
}

// wantState waits until the messages of an effect are in a state.
func (g *rig) wantState(effect, want string) {
	g.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	got := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		must(g, g.db.QueryRow("SELECT status || ' after ' || attempts FROM effects_outbox_messages WHERE effect = '"+effect+"' ORDER BY id DESC").Scan(&got))
		if got == want {
			return
		}
	}
	g.Fatalf("effect %s: the message is %s, want %s", effect, got, want)
}

func TestConflictsOfRows(t *testing.T) {
	each(t, func(g *rig) {
		for _, one := range []struct {
			policy string
			status int // of the second row with the same name
			answer string
			want   string
		}{
			{"reject", 200, "rejected", "SELECT count(*) FROM rejecting;1"},
			{"fail", 503, "", "SELECT count(*) FROM failing;1"},
			{"keep", 200, "", "SELECT max(value) FROM keeping;1"},
			{"update", 200, "", "SELECT max(value) FROM updating;2"},
		} {
			g.deliver(`{"id":"`+one.policy+`-1","type":"row","policy":"`+one.policy+`","name":"n","value":1}`, 200, "")
			g.deliver(`{"id":"`+one.policy+`-2","type":"row","policy":"`+one.policy+`","name":"n","value":2}`, one.status, one.answer)
			query, want, _ := strings.Cut(one.want, ";")
			deliver.Value(g, g.db, query, want)
		}
		deliver.Value(g, g.db, "SELECT count(*) FROM effects_inbox_events WHERE status = 'rejected'", "1")
		deliver.Value(g, g.db, "SELECT count(*) FROM effects_inbox_failures", "1")
	})
}

func TestTypesOfColumns(t *testing.T) {
	each(t, func(g *rig) {
		g.deliver(`{"id":"1","type":"row","policy":"typed","name":"n","value":9007199254740993,"number":0.10000000000000000001,"unix":1764494100,"day":"2026-11-30","deep":{"list":["a"], "x":1.50},"flag":true}`, 200, "")
		g.deliver(`{"id":"2","type":"row","policy":"typed","name":"n","value":1,"number":1,"unix":1,"day":"2026-11-30","deep":{"list":["b"]}}`, 200, "")
		g.deliver(`{"id":"3","type":"row","policy":"typed","name":"n","value":1.5,"number":1,"unix":1,"day":"2026-11-30","deep":{"list":["b"]}}`, 200, "rejected")
		for query, want := range map[string]string{
			"t": "Row n of a", "i": "9007199254740993", "c": "fixed", "x": "NULL",
			"CAST(n AS text)": "0.10000000000000000001",
			"CAST(j AS text)": `{"list":["a"], "x":1.50}`,
			"CAST(d AS text)": "2026-11-30",
			"CAST(b AS text)": map[bool]string{true: "true", false: "1"}[strings.Contains(g.Name(), "postgres")],
		} {
			deliver.Value(g, g.db, "SELECT "+query+" FROM typed WHERE event_key = '1'", want)
		}
		deliver.Value(g, g.db, "SELECT count(*) FROM typed WHERE event_key = '2' AND CAST(b AS text) IN ('0', 'false')", "1")
	})
}

func TestMessages(t *testing.T) {
	each(t, func(g *rig) {
		g.answerWith(503)
		g.deliver(`{"id":"1","type":"message","to":"crm","name":"a/b ü","value":3}`, 200, "")
		deal := `PUT /api/deals/a%2Fb%20%C3%BC effects:deal:1 Bearer token {"title":"Deal a/b ü","tags":["a",3],"nested":{"value":3}}`
		g.wantReached(deal)
		g.wantState("deal", "pending after 1")
		g.wantAgain(deal)
		g.wantState("deal", "sent after 2")
		// A path that would be another one.
		g.deliver(`{"id":"2","type":"message","to":"crm","name":"..","value":3}`, 200, "rejected")
		// A private address, which nobody has allowed.
		g.deliver(`{"id":"3","type":"message","to":"guarded","name":"n","value":3}`, 200, "")
		g.wantState("ping", "dead after 1")
		// 200 is no success here, 409 a retry: and there are only so many.
		g.answerWith(409, 409, 409)
		g.deliver(`{"id":"4","type":"message","to":"picky","name":"n","value":3}`, 200, "")
		once := `POST /api/once no key  {"id":"4","type":"message","to":"picky","name":"n","value":3}`
		g.wantReached(once)
		g.wantAgain(once)
		g.wantAgain(once)
		g.wantState("once", "dead after 3")
		// key: none: an attempt of unknown fate is not repeated.
		g.deliver(`{"id":"5","type":"message","to":"call","name":"n","value":3}`, 200, "")
		g.wantState("call", "uncertain after 1")
		if got := <-g.called; got != "effects:call:5 n" || len(g.called) != 0 {
			g.Errorf("the call effect was called with %s, and %d times more", got, len(g.called))
		}
		deliver.Value(g, g.db, "SELECT count(*) FROM effects_outbox_messages", "4")
	})
}

func TestMessagesOfTheHandler(t *testing.T) {
	each(t, func(g *rig) {
		g.asked = func(note func(shop, note, text string, count int64), shout func(string)) error {
			note("s/1", "n 1", "one", 1)
			note("s/1", "n 2", "two", 2)
			shout("hey")
			return nil
		}
		g.deliver(`{"id":"1","type":"asked"}`, 200, "")
		got := map[string]bool{}
		for range 3 {
			select {
			case one := <-g.reached:
				got[one] = true
			case <-time.After(20 * time.Second):
				g.Fatalf("the outside was reached by %v only", got)
			}
		}
		for _, want := range []string{
			`PATCH /api/shops/s%2F1/notes/n%201 effects:note:1 Bearer token {"text":"one","count":1}`,
			`PATCH /api/shops/s%2F1/notes/n%202 effects:note:1:2 Bearer token {"text":"two","count":2}`,
			"shout hey",
		} {
			if !got[want] {
				g.Errorf("the outside got %v, want %s too", got, want)
			}
		}
		g.deliver(`{"id":"1","type":"asked"}`, 200, "")
		g.asked = func(note func(shop, note, text string, count int64), _ func(string)) error {
			note("..", "n", "climbs", 1)
			return nil
		}
		g.deliver(`{"id":"2","type":"asked"}`, 200, "rejected")
		deliver.Value(g, g.db, "SELECT count(*) FROM effects_outbox_messages", "3")
		deliver.Value(g, g.db, "SELECT reason FROM effects_inbox_events WHERE event_key = '2'", "effect note: shopID cannot be a segment of a path")
	})
}
