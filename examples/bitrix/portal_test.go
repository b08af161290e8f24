package bitrix_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/whgen/whgen/examples/bitrix/portal"
	whrt "github.com/whgen/whgen/runtime"
)

const token = "q3vb81mexh5k0zr7u2fyd9n4wtcaj6os"

// reader stands for the REST client that reads a deal.
type reader chan portal.ReadDealPayload

func (r reader) SendReadDeal(_ context.Context, m portal.ReadDealMessage) error {
	r <- m.Payload
	return nil
}

type trial struct {
	*testing.T
	db       *sql.DB
	counters *whrt.Counters
	reader   reader
	url      string
	rcv      *whrt.Receiver
}

func newTrial(t *testing.T) *trial {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "portal.db")+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	tr := &trial{T: t, db: db, counters: &whrt.Counters{}, reader: make(reader, 16)}
	tr.must(err)
	t.Cleanup(func() { _ = db.Close() })
	tr.must(portal.Migrate(t.Context(), db))
	tr.rcv, err = portal.New(t.Context(), portal.Config{
		DB: db, ReadDeal: tr.reader, Observer: tr.counters, Secrets: whrt.SecretsMap{"BITRIX_APPLICATION_TOKEN": token},
	})
	tr.must(err)
	mux := http.NewServeMux()
	tr.rcv.Handle(mux, "/webhooks/bitrix")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tr.url = server.URL + "/webhooks/bitrix"
	return tr
}

func (tr *trial) must(err error) {
	tr.Helper()
	if err != nil {
		tr.Fatal(err)
	}
}

// post delivers as a portal does.
func (tr *trial) post(body string, want int) {
	tr.Helper()
	answer, err := http.Post(tr.url, "application/x-www-form-urlencoded", strings.NewReader(body))
	tr.must(err)
	defer answer.Body.Close()
	if answer.StatusCode != want {
		tr.Errorf("%s is answered %d, want %d", body, answer.StatusCode, want)
	}
}

func (tr *trial) text(query string) string {
	tr.Helper()
	var text sql.NullString
	tr.must(tr.db.QueryRowContext(tr.Context(), query).Scan(&text))
	return text.String
}

func (tr *trial) count(query, want string) {
	tr.Helper()
	if got := tr.text(query); got != want {
		tr.Errorf("%s gives %q, want %q", query, got, want)
	}
}

// event is a delivery of a portal that knows its subscriber as an application.
func event(code, deal, ts string) string {
	return "event=" + code + "&event_handler_id=975&data%5BFIELDS%5D%5BID%5D=" + deal + "&ts=" + ts +
		"&auth%5Bdomain%5D=shop.bitrix24.example&auth%5Bclient_endpoint%5D=https%3A%2F%2Fshop.bitrix24.example%2Frest%2F" +
		"&auth%5Bmember_id%5D=a1b2c3&auth%5Baccess_token%5D=user-token-1&auth%5Bapplication_token%5D=" + token
}

func TestDealsAreReadOnce(t *testing.T) {
	tr := newTrial(t)
	added := event("ONCRMDEALADD", "7405", "1766047124")
	tr.post(added, 200)
	tr.post(added, 200) // by hand, or from a queue in front
	fields := strings.Split(strings.Replace(added, "user-token-1", "user-token-2", 1), "&")
	for i := range len(fields) / 2 {
		fields[i], fields[len(fields)-1-i] = fields[len(fields)-1-i], fields[i]
	}
	tr.post(strings.Join(fields, "&"), 200)                      // another order, another token of the user
	tr.post(event("ONCRMDEALUPDATE", "7405", "1766047124"), 200) // the same deal in the same second, another fact
	tr.post(event("ONCRMDEALUPDATE", "7405", "1766047125"), 200) // a second later
	tr.post(event("ONCRMDEALDELETE", "7405", "1766047126"), 200) // nothing to read any more
	tr.post(event("ONCRMCONTACTADD", "7405", "1766047126"), 200) // nobody asked for it
	tr.post(strings.ReplaceAll(event("ONCRMDEALUPDATE", "7405", "1766047127"), "a1b2c3", "other"), 200)
	tr.post(strings.ReplaceAll(event("ONCRMDEALUPDATE", "7405", "1766047127"), "a1b2c3", "a1b2c3"), 200) // another portal, the same key: a conflict

	for o, want := range map[whrt.Outcome]int64{whrt.Processed: 5, whrt.Duplicate: 2, whrt.Ignored: 1, whrt.Conflict: 1} {
		if got := tr.counters.Outcome(o); got != want {
			t.Errorf("%d deliveries were %s, want %d", got, o, want)
		}
	}
	tr.count("SELECT count(*) FROM portal_changes", "5")
	tr.count("SELECT group_concat(event_key, ' ') FROM (SELECT event_key FROM portal_changes WHERE sent_at < '2025-12-18T08:38:46' ORDER BY event_key)",
		"ONCRMDEALADD|7405|1766047124 ONCRMDEALUPDATE|7405|1766047124 ONCRMDEALUPDATE|7405|1766047125")
	tr.count("SELECT entity || ' ' || event || ' ' || portal FROM portal_changes WHERE event LIKE '%DELETE'", "7405 ONCRMDEALDELETE a1b2c3")

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- tr.rcv.Run(ctx) }()
	var deals []portal.ReadDealPayload
	for len(deals) < 4 {
		select {
		case d := <-tr.reader:
			deals = append(deals, d)
		case <-time.After(20 * time.Second):
			t.Fatalf("only %d deals were read", len(deals))
		}
	}
	stop()
	tr.must(<-ended)
	close(tr.reader) // nothing is read twice
	for d := range tr.reader {
		deals = append(deals, d)
	}
	if len(deals) != 4 || deals[0].Deal != 7405 || deals[0].Host == nil || *deals[0].Host != "shop.bitrix24.example" {
		t.Errorf("the deals that were read: %+v", deals)
	}
}

func TestCredentialsAreNotStored(t *testing.T) {
	tr := newTrial(t)
	tr.post(event("ONCRMDEALADD", "7405", "1766047124"), 200)
	stored := tr.text("SELECT body FROM bitrix_inbox_payloads")
	for _, secret := range []string{token, "user-token"} {
		if strings.Contains(stored, secret) {
			t.Errorf("stored is %s", stored)
		}
	}
	if !strings.HasPrefix(stored, "event=ONCRMDEALADD&event_handler_id=975&data%5BFIELDS%5D%5BID%5D=7405&ts=1766047124&") {
		t.Errorf("stored is %s", stored)
	}
}

func TestOthersAreRefused(t *testing.T) {
	tr := newTrial(t)
	right := event("ONCRMDEALADD", "7405", "1766047124")
	for body, want := range map[string]int{
		strings.Replace(right, token, strings.ToUpper(token), 1):       401,
		strings.Replace(right, token, token[:31], 1):                   401,
		strings.Replace(right, "="+token, "=", 1):                      401,
		right + "&auth[application_token]=evil":                        401,
		strings.Replace(right, "auth%5Bapplication", "application", 1): 401,
		strings.Replace(right, "ts=", "tz=", 1):                        400,
		right + "&data[FIELDS][ID]=1":                                  400,
		strings.Replace(right, "event=ONCRMDEALADD&", "", 1):           400,
	} {
		tr.post(body, want)
	}
	answer, err := http.Post(tr.url, "application/json", strings.NewReader(`{"auth":{"application_token":"`+token+`"}}`))
	tr.must(err)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("JSON is answered %d", answer.StatusCode)
	}
	tr.count("SELECT count(*) FROM bitrix_inbox_events", "0")
}
