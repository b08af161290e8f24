package github_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/github/github"
	whrt "github.com/whgen/whgen/runtime"
)

const secret = "the hook's secret, 0123456789abcdef"

// quiet takes messages for the outside and sends nothing.
type quiet struct{}

func (quiet) SendTriage(context.Context, github.TriageMessage) error { return nil }
func (quiet) SendDeploy(context.Context, github.DeployMessage) error { return nil }

// hook is a receiver on a database of its own, and what GitHub would do to it.
type hook struct {
	*testing.T
	db       *sql.DB
	counters *whrt.Counters
	url      string
}

func newHook(t *testing.T) *hook {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "tracker.db")+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	h := &hook{T: t, db: db, counters: &whrt.Counters{}}
	h.must(err)
	t.Cleanup(func() { _ = db.Close() })
	h.must(github.Migrate(t.Context(), db))
	rcv, err := github.New(t.Context(), github.Config{
		DB: db, Handler: github.NewHandler(), Triage: quiet{}, Deploy: quiet{}, NoRelay: true,
		Observer: h.counters, Secrets: whrt.SecretsMap{"GITHUB_WEBHOOK_SECRET": secret},
	})
	h.must(err)
	mux := http.NewServeMux()
	rcv.Handle(mux, "/webhooks/github")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	h.url = server.URL + "/webhooks/github"
	return h
}

func (h *hook) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func signed(body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// deliver sends an event under an id, signed as GitHub signs.
func (h *hook) deliver(event, id, body string) (int, string) {
	h.Helper()
	return h.post(body, "X-GitHub-Event", event, "X-GitHub-Delivery", id, "X-Hub-Signature-256", signed(body))
}

func (h *hook) post(body string, headers ...string) (int, string) {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), "POST", h.url, strings.NewReader(body))
	h.must(err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	h.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	h.must(err)
	return answer.StatusCode, string(text)
}

// want checks an answer, and how often its outcome has been so far.
func (h *hook) want(status int, o whrt.Outcome, times int64) func(int, string) {
	return func(got int, body string) {
		h.Helper()
		if n := h.counters.Outcome(o); got != status || n != times {
			h.Errorf("answered %d %q, want %d; %s was %d times, want %d", got, body, status, o, n, times)
		}
		if understood := o == whrt.Processed || o == whrt.Duplicate; understood && body != "understood" {
			h.Errorf("a body that is %s is answered with %q", o, body)
		}
	}
}

// rows checks the one value of a query.
func (h *hook) rows(query string, want int) {
	h.Helper()
	var got int
	h.must(h.db.QueryRowContext(h.Context(), query).Scan(&got))
	if got != want {
		h.Errorf("%s: %d, want %d", query, got, want)
	}
}

const (
	opened = `{"action":"opened","issue":{"id":3210042,"number":42,"title":"Kettle does not whistle","state":"open","labels":[],
		"user":{"login":"ada","id":7,"type":"User"},"created_at":"2026-11-30T09:15:00Z","body":null},
		"repository":{"id":5,"full_name":"tea-shop/kettle","private":false},"sender":{"login":"ada","id":7}}`
	merged = `{"action":"closed","number":43,"pull_request":{"merged":true,"merge_commit_sha":"6dcb09b5b57875f334f61aebed695e2e4193db5e",
		"base":{"ref":"main"},"merged_at":"2026-11-30T10:00:00Z"},"repository":{"full_name":"tea-shop/kettle"},"sender":{"login":"ada"}}`
	pushed = `{"ref":"refs/heads/main","before":"9049f1265b7d61be4a8904a9a27120d2064dab3b","after":"6dcb09b5b57875f334f61aebed695e2e4193db5e",
		"commits":[{"id":"1f2e","message":"Boil","author":{"name":"Ada"}},{"id":"6dcb","message":"Whistle","author":{"name":"Ada"}}],
		"repository":{"full_name":"tea-shop/kettle"},"pusher":{"name":"ada"},"sender":{"login":"ada"}}`
	first  = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
	second = "81f0c9aa-cc78-11e3-81ab-4c9367dc0958"
)

func TestARedeliveryAndAReplayUnderAnotherID(t *testing.T) {
	h := newHook(t)
	h.want(200, whrt.Processed, 1)(h.deliver("issues", first, opened))
	h.want(200, whrt.Duplicate, 1)(h.deliver("issues", first, opened))  // by hand, from the hook's page
	h.want(200, whrt.Duplicate, 2)(h.deliver("issues", second, opened)) // captured: the id is not signed
	h.want(200, whrt.Conflict, 1)(h.deliver("issues", first, strings.Replace(opened, "whistle", "boil", 1)))
	h.rows("SELECT count(*) FROM github_inbox_events", 1)
	h.rows("SELECT count(*) FROM issues WHERE repository = 'tea-shop/kettle' AND number = 42 AND title LIKE '%whistle'", 1)
	h.rows("SELECT count(*) FROM github_outbox_messages WHERE effect = 'triage'", 1)
	h.rows("SELECT count(*) FROM github_inbox_conflicts", 1)
}

func TestTheTypeIsOfHeaderAndBody(t *testing.T) {
	h := newHook(t)
	h.want(200, whrt.Processed, 1)(h.deliver("push", "d-1", pushed)) // no action
	h.want(200, whrt.Processed, 2)(h.deliver("pull_request", "d-2", merged))
	h.want(200, whrt.Ignored, 1)(h.deliver("pull_request", "d-3", strings.Replace(merged, `"merged":true`, `"merged":false`, 1)))
	h.want(200, whrt.Ignored, 2)(h.deliver("issues", "d-4", strings.Replace(opened, `"opened"`, `"labeled"`, 1)))
	h.want(200, whrt.Ignored, 3)(h.deliver("ping", "d-5", `{"zen":"Tea first.","hook_id":109948940}`))
	h.rows("SELECT commits FROM pushes WHERE branch = 'main'", 2)
	h.rows("SELECT count(*) FROM github_outbox_messages WHERE effect = 'deploy'", 1)
	h.rows("SELECT count(*) FROM issues", 0)
	h.rows("SELECT count(*) FROM github_inbox_events WHERE status = 'ignored'", 3)
	h.rows("SELECT count(*) FROM github_inbox_events", 5)
}

func TestATagIsNoPushToABranch(t *testing.T) {
	h := newHook(t)
	h.want(200, whrt.Processed, 1)(h.deliver("push", "d-1", strings.Replace(pushed, "refs/heads/main", "refs/tags/v1", 1)))
	h.rows("SELECT count(*) FROM pushes", 0)
	h.rows("SELECT count(*) FROM github_inbox_events WHERE status = 'done'", 1)
}

func TestWhatIsNotFromGitHubLeavesNoRow(t *testing.T) {
	h := newHook(t)
	old := hmac.New(sha1.New, []byte(secret)) // GitHub sends both; only the newer one counts
	old.Write([]byte(opened))
	h.want(401, whrt.Unauthenticated, 1)(h.post(opened, "X-GitHub-Event", "issues", "X-GitHub-Delivery", first,
		"X-Hub-Signature", "sha1="+hex.EncodeToString(old.Sum(nil))))
	h.want(401, whrt.Unauthenticated, 2)(h.post(opened+" ", "X-GitHub-Event", "issues", "X-GitHub-Delivery", first, "X-Hub-Signature-256", signed(opened)))
	h.want(401, whrt.Unauthenticated, 3)(h.post(opened, "X-GitHub-Event", "issues", "X-GitHub-Delivery", first,
		"X-Hub-Signature-256", strings.ToUpper(signed(opened))))
	h.want(400, whrt.Malformed, 1)(h.post(opened, "X-GitHub-Event", "issues", "X-Hub-Signature-256", signed(opened)))
	h.rows("SELECT (SELECT count(*) FROM github_inbox_events) + (SELECT count(*) FROM issues) + (SELECT count(*) FROM github_outbox_messages)", 0)
}
