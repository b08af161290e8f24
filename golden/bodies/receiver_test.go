package bodies_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	whrt "github.com/whgen/whgen/runtime"
)

// bench is a generated receiver on a database of its own.
type bench struct {
	*testing.T
	db       *sql.DB
	counters *whrt.Counters
	handler  http.Handler
	headers  http.Header // of each request
	sign     func(r *http.Request, body string)
}

func newBench(t *testing.T) *bench {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "bodies.db")+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	b := &bench{T: t, db: db, counters: &whrt.Counters{}, headers: http.Header{}}
	b.must(err)
	t.Cleanup(func() { _ = db.Close() })
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// send delivers a body once and demands an outcome.
func (b *bench) send(body, want string) {
	b.Helper()
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	for name, lines := range b.headers {
		r.Header[name] = lines
	}
	if b.sign != nil {
		b.sign(r, body)
	}
	before := b.counters.Outcomes()
	b.handler.ServeHTTP(httptest.NewRecorder(), r)
	got := ""
	for name, n := range b.counters.Outcomes() {
		if n > before[name] {
			got += name
		}
	}
	if got != want {
		b.Errorf("%.80q came to %s, want %s", body, got, want)
	}
}

func (b *bench) text(query string) string {
	b.Helper()
	var text sql.NullString
	b.must(b.db.QueryRowContext(b.Context(), query).Scan(&text))
	return text.String
}

func (b *bench) wantText(query, want string) {
	b.Helper()
	if got := b.text(query); got != want {
		b.Errorf("%s gives\n%s, want\n%s", query, got, want)
	}
}

// signed puts an HMAC into X-Sig.
func signed(secret, prefix string) func(*http.Request, string) {
	return func(r *http.Request, body string) {
		m := hmac.New(sha256.New, []byte(secret))
		m.Write([]byte(body))
		r.Header.Set("X-Sig", prefix+hex.EncodeToString(m.Sum(nil)))
	}
}
