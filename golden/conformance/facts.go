package conformance

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// textSecret decodes, behind its prefix, to secret.
const textSecret = "whsec_d2hnX3Rlc3Rfc2VjcmV0XzAxMjM0NTY3ODlhYmNkZWY="

// habitsSecrets are the values behind the names in golden/habits.
func habitsSecrets() whrt.SecretsMap {
	return whrt.SecretsMap{
		"HABITS_SECRET": secret, "LEFT_SECRET": "the-left-secret-0123456789", "RIGHT_SECRET": "the-right-secret-0123456789",
		"TEXT_SECRET": textSecret, "NEW_SECRET": "the-new-secret-0123456789", "OLD_SECRET": "the-old-secret-0123456789",
	}
}

// habits starts a receiver of golden/habits and gives its address.
func (b *bench) habits(change func(o *Options)) string {
	b.Helper()
	o := b.options()
	o.Secrets = habitsSecrets()
	if change != nil {
		change(&o)
	}
	r, err := b.pool.Habits(b.Context(), o)
	b.must(err)
	b.run(r)
	return b.serve(r)
}

// fact is the body of an event of golden/habits; more are members, or nothing.
func fact(id string, amount int, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"fact.told","amount":%d%s}`, id, amount, more)
}

// told is a request to an endpoint, signed with key.
func (b *bench) told(url, key, body string) *http.Request {
	r := request(b.Context(), url, body)
	r.Header.Set("X-Sig", signWith(key, body))
	return r
}

// stamped is a request whose signature holds a time.
func (b *bench) stamped(url, body string, at time.Time) *http.Request {
	r := request(b.Context(), url, body)
	t := strconv.FormatInt(at.Unix(), 10)
	r.Header.Set("X-Sig", "t="+t+",v1="+signWith(secret, t+"."+body))
	return r
}

// facts compares the numbers of inbox rows and of record effects with one number.
func (b *bench) facts(want int) {
	b.Helper()
	for _, table := range []string{"habits_inbox_events", "facts", "habits_outbox_messages"} {
		if got := b.number("SELECT count(*) FROM " + table); got != want {
			b.Errorf("%s: %d rows, want %d", table, got, want)
		}
	}
}

// stopped is a clock that stands still until it is set.
type stopped struct{ at atomic.Int64 }

func stoppedAt(t time.Time) *stopped {
	s := &stopped{}
	s.set(t)
	return s
}

func (s *stopped) set(t time.Time) { s.at.Store(t.UnixNano()) }

// Now implements whrt.Clock.
func (s *stopped) Now() time.Time { return time.Unix(0, s.at.Load()) }
