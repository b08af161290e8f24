package slack_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/slack/slack"
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/outbox"
)

const secret = "8f742231b10e8888abcd99yyyzzz85a5"

// desk is a receiver on a database of its own, and Slack's API.
type desk struct {
	*testing.T
	db        *sql.DB
	counters  *whrt.Counters
	rcv       *whrt.Receiver
	url       string
	reactions atomic.Int32
	posts     atomic.Int32
	lost      atomic.Bool // the API does its work and nobody hears of it
}

func (d *desk) SendReact(context.Context, slack.ReactMessage) error { return d.call(&d.reactions) }

func (d *desk) SendAnswer(context.Context, slack.AnswerMessage) error { return d.call(&d.posts) }

func (d *desk) call(n *atomic.Int32) error {
	n.Add(1)
	if d.lost.Load() {
		return outbox.Uncertain(errors.New("read the answer: connection reset"))
	}
	return nil
}

func newDesk(t *testing.T, relay bool) *desk {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "desk.db")+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	d := &desk{T: t, db: db, counters: &whrt.Counters{}}
	d.must(err)
	t.Cleanup(func() { _ = db.Close() })
	d.must(slack.Migrate(t.Context(), db))
	d.rcv, err = slack.New(t.Context(), slack.Config{
		DB: db, React: d, Answer: d, NoRelay: !relay, Observer: d.counters, Secrets: whrt.SecretsMap{"SLACK_SIGNING_SECRET": secret},
	})
	d.must(err)
	mux := http.NewServeMux()
	d.rcv.Handle(mux, "/webhooks/slack")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	d.url = server.URL + "/webhooks/slack"
	return d
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// deliver sends a body, signed with a key as Slack signs, some time ago.
func (d *desk) deliver(body, key string, ago time.Duration, headers ...string) answer {
	d.Helper()
	at := fmt.Sprint(time.Now().Add(-ago).Unix())
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("v0:" + at + ":" + body))
	r, err := http.NewRequestWithContext(d.Context(), "POST", d.url, strings.NewReader(body))
	d.must(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Slack-Request-Timestamp", at)
	r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	d.must(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	d.must(err)
	return answer{res.StatusCode, res.Header, string(text)}
}

// want checks an answer, and how often its outcome has been so far.
func (d *desk) want(got answer, status int, o whrt.Outcome, times int64) {
	d.Helper()
	if n := d.counters.Outcome(o); got.status != status || n != times {
		d.Errorf("answered %d %q, want %d; %s was %d times, want %d", got.status, got.body, status, o, n, times)
	}
}

// row checks the one value of a query, as text.
func (d *desk) row(query, want string) {
	d.Helper()
	var got string
	d.must(d.db.QueryRowContext(d.Context(), query).Scan(&got))
	if got != want {
		d.Errorf("%s: %s, want %s", query, got, want)
	}
}

const (
	handshake = `{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}`
	mention   = `{"token":"Jhj5dZrVaK7ZwHHjRyZWjbDl","team_id":"T0A1B2C3D","api_app_id":"A0A1B2C3D","type":"event_callback","event_id":"Ev08MFMKH6",
		"event_time":1764494100,"event":{"type":"app_mention","user":"U0ADA0ADA","text":"<@U0LAN0LAN> the kettle is cold","ts":"1764494100.000200",
		"channel":"C0A1B2C3D","event_ts":"1764494100.000200"},"authorizations":[{"team_id":"T0A1B2C3D","is_bot":true}]}`
	nothing = "SELECT (SELECT count(*) FROM slack_inbox_events) + (SELECT count(*) FROM questions) + (SELECT count(*) FROM slack_outbox_messages)"
)

func TestTheHandshake(t *testing.T) {
	d := newDesk(t, false)
	got := d.deliver(handshake, secret, 0)
	d.want(got, 200, whrt.Challenged, 1)
	if want := "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"; got.body != want || got.header.Get("Content-Type") != "text/plain" {
		t.Errorf("answered %q as %s, want %q", got.body, got.header.Get("Content-Type"), want)
	}
	d.want(d.deliver(handshake, "somebody else's secret", 0), 401, whrt.Unauthenticated, 1)
	d.row(nothing, "0")
}

func TestAMentionAndItsRetries(t *testing.T) {
	d := newDesk(t, false)
	d.want(d.deliver(mention, secret, 0), 200, whrt.Processed, 1)
	for n := range int64(3) { // signed anew each time
		got := d.deliver(mention, secret, 0, "X-Slack-Retry-Num", fmt.Sprint(n+1), "X-Slack-Retry-Reason", "http_timeout")
		d.want(got, 200, whrt.Duplicate, n+1)
	}
	d.want(d.deliver(mention, secret, 10*time.Minute), 401, whrt.Unauthenticated, 1)
	d.row("SELECT event_key || ' ' || event_type || ' ' || status FROM slack_inbox_events", "Ev08MFMKH6 event_callback.app_mention done")
	d.row("SELECT channel || ' ' || message || ' ' || author FROM questions", "C0A1B2C3D 1764494100.000200 U0ADA0ADA")
	d.row("SELECT group_concat(effect) FROM (SELECT effect FROM slack_outbox_messages ORDER BY effect)", "answer,react")
}

func TestWhatIsNotForUs(t *testing.T) {
	d := newDesk(t, false)
	bot := strings.Replace(mention, `"user":"U0ADA0ADA"`, `"bot_id":"B0BOT0BOT"`, 1)
	d.want(d.deliver(bot, secret, 0), 200, whrt.Ignored, 1)
	other := strings.NewReplacer("app_mention", "channel_created", "Ev08MFMKH6", "Ev08MFMKH9").Replace(mention)
	d.want(d.deliver(other, secret, 0), 200, whrt.Ignored, 2)
	d.row("SELECT count(*) FROM slack_inbox_events WHERE status = 'ignored'", "2")
	d.row("SELECT (SELECT count(*) FROM questions) + (SELECT count(*) FROM slack_outbox_messages)", "0")
}

func TestWithoutAnEventIDThereIsNoRetry(t *testing.T) {
	d := newDesk(t, false)
	got := d.deliver(strings.Replace(mention, `"event_id":"Ev08MFMKH6",`, "", 1), secret, 0)
	d.want(got, 400, whrt.Malformed, 1)
	if got.header.Get("X-Slack-No-Retry") != "1" {
		t.Errorf("headers %v", got.header)
	}
	d.row(nothing, "0")
	if header := d.deliver(mention, secret, 0).header; header.Get("X-Slack-No-Retry") != "" {
		t.Errorf("an event that is understood is answered with %v", header)
	}
}

func TestADatabaseThatIsAwayIsRetried(t *testing.T) {
	d := newDesk(t, false)
	if _, err := d.db.ExecContext(t.Context(), "ALTER TABLE questions RENAME TO gone"); err != nil {
		t.Fatal(err)
	}
	got := d.deliver(mention, secret, 0)
	d.want(got, 500, whrt.Failed, 1)
	if got.header.Get("X-Slack-No-Retry") != "" {
		t.Error("a failure ends the retries")
	}
	if _, err := d.db.ExecContext(t.Context(), "ALTER TABLE gone RENAME TO questions"); err != nil {
		t.Fatal(err)
	}
	d.want(d.deliver(mention, secret, 0), 200, whrt.Processed, 1)
	d.row("SELECT count(*) FROM questions", "1")
}

// A reaction may be made twice, a post may not.
func TestAPostOfUnknownFateIsNotRepeated(t *testing.T) {
	d := newDesk(t, true)
	d.lost.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.rcv.Run(ctx) }()
	d.want(d.deliver(mention, secret, 0), 200, whrt.Processed, 1)
	for end := time.Now().Add(20 * time.Second); d.reactions.Load() == 0 || d.status("answer") == "pending"; {
		if time.Now().After(end) {
			t.Fatalf("after 20 s: answer %s, react %s", d.status("answer"), d.status("react"))
		}
		runtime.Gosched()
	}
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if d.status("answer") != "uncertain" || d.status("react") != "pending" || d.posts.Load() != 1 {
		t.Errorf("answer %s after %d posts, react %s; want uncertain after 1, pending", d.status("answer"), d.posts.Load(), d.status("react"))
	}
}

func (d *desk) status(effect string) string {
	d.Helper()
	var status string
	d.must(d.db.QueryRow("SELECT status FROM slack_outbox_messages WHERE effect = ?", effect).Scan(&status))
	return status
}
