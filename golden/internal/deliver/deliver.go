// Package deliver is what the tests of goldens have in common: a sender with a
// signature of its own making, a database, and a look into it.
package deliver

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

	_ "modernc.org/sqlite" // the databases of SQLite
)

// Secret is long enough for every scheme.
const Secret = "a-secret-of-thirty-two-characters"

// Sign adds a signature to a request with this body.
type Sign func(r *http.Request, body string)

// Hex signs as most senders do: the body's HMAC-SHA256 in hex, in a header.
func Hex(header string) Sign {
	return func(r *http.Request, body string) { r.Header.Set(header, MAC(body)) }
}

// MAC is the HMAC-SHA256 of a text under Secret, in hex.
func MAC(text string) string {
	mac := hmac.New(sha256.New, []byte(Secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// Request is a POST of JSON.
func Request(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// Want delivers a body and compares status and answer.
func Want(t testing.TB, to http.Handler, sign Sign, body string, status int, answer string) {
	t.Helper()
	r := Request(body)
	sign(r, body)
	WantOf(t, to, r, status, answer)
}

// WantOf is the same for a request that is ready.
func WantOf(t testing.TB, to http.Handler, r *http.Request, status int, answer string) {
	t.Helper()
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	if w.Code != status || w.Body.String() != answer {
		t.Errorf("%s %s: answered %d %q, want %d %q", r.Method, r.URL, w.Code, w.Body, status, answer)
	}
}

// SQLite is a new database in a file, as the docs tell to open one.
func SQLite(t testing.TB) *sql.DB {
	t.Helper()
	file := filepath.Join(t.TempDir(), "golden.db")
	db, err := sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Value compares what a query gives, as text.
func Value(t testing.TB, db *sql.DB, query, want string) {
	t.Helper()
	var got sql.NullString
	err := db.QueryRow(query).Scan(&got)
	if !got.Valid {
		got.String = "NULL"
	}
	if err != nil || got.String != want {
		t.Errorf("%s: got %q, %v; want %q", query, got.String, err, want)
	}
}
