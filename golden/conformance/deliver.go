package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// body is the message of an event of the bench's kind, without blanks.
func (b *bench) body(id, order string, amount int) string { return body(b.kind, id, order, amount) }

func body(kind, id, order string, amount int) string {
	return fmt.Sprintf(`{"id":%q,"type":"order.%s","data":{"order_id":%q,"amount":%d}}`, id, kind, order, amount)
}

// sign signs by hand: the suite does not trust the signatures it tests.
func sign(body string) string { return signWith(secret, body) }

func signWith(key, body string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(body))
	return hex.EncodeToString(m.Sum(nil))
}

// answer is what the sender sees.
type answer struct {
	status int
	body   string
}

// request is one without a signature.
func request(ctx context.Context, url, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err) // a mistake of the suite
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// signed is a request with the right signature.
func signed(ctx context.Context, url, body string) *http.Request {
	r := request(ctx, url, body)
	r.Header.Set("X-Sig", sign(body))
	return r
}

// client holds connections enough for a crowd.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// do sends a request; status 0 is one that got no answer.
func do(r *http.Request) answer {
	resp, err := client.Do(r)
	if err != nil {
		return answer{}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}
	}
	return answer{resp.StatusCode, string(text)}
}

func (b *bench) deliver(body string) answer { return do(signed(b.Context(), b.url, body)) }

// want delivers and compares the status.
func (b *bench) want(body string, status int) answer {
	b.Helper()
	return b.wantAt(b.url, body, status)
}

// comesAgain delivers as a sender does that was told to come again: until it is
// told otherwise. On a busy machine the work may still go on.
func (b *bench) comesAgain(url, body string) {
	b.Helper()
	var got answer
	b.until("an answer other than 503", func() bool {
		got = do(signed(b.Context(), url, body))
		return got.status != 503
	})
	if got.status != 200 {
		b.Errorf("%s: status %d, want 200", body, got.status)
	}
}

func (b *bench) wantAt(url, body string, status int) answer {
	b.Helper()
	return b.compare(do(signed(b.Context(), url, body)), body, status)
}

func (b *bench) compare(got answer, body string, status int) answer {
	b.Helper()
	if got.status != status {
		if len(body) > 100 {
			body = body[:100] + "..."
		}
		b.Errorf("%s: status %d, want %d; the end of the log:\n%s", body, got.status, status, b.log.tail())
	}
	return got
}
