package send

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/whgen/whgen/generator"
)

// Target is where deliveries go, and what they are signed with.
type Target struct {
	URL    string                           // of the mount point, such as http://127.0.0.1:8080/webhooks/shop
	Secret func(name string) (string, bool) // by the contract's names
	// PrivateKeys sign where the receiver has public keys: by the public key's
	// name, under "" for every one. What is not there is asked of Secret.
	PrivateKeys map[string]string
	Anywhere    bool                // public addresses too
	Timeout     time.Duration       // of one delivery
	Progress    func(done, all int) // after each round; may be nil
}

// Run delivers to the target and tells what came of it. The error is about
// what could not be done at all: an option that the contract cannot show, a
// secret that is not set, an address that is refused, a receiver that nobody
// reaches. An answer that does not fit is in the Result. When ctx ends, Run
// gives what it has.
func Run(ctx context.Context, p *generator.Plan, t Target, o Options) (*Result, error) {
	base, err := url.Parse(t.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("%q is no URL of a receiver; write it as http://127.0.0.1:8080/webhooks/%s", t.URL, p.Source)
	}
	if base.User != nil {
		return nil, errors.New("the URL holds a password: credentials of the scheme come from the environment")
	}
	rounds, err := plan(p, o, time.Now())
	if err != nil {
		return nil, err
	}
	s := &signer{base: base, options: o, secret: t.Secret, privateKeys: t.PrivateKeys, now: time.Now, publicURL: p.Contract.PublicURL, source: p.Source, tenant: p.Contract.Tenant}
	if _, err := s.request(ctx, rounds[0]); err != nil {
		return nil, err
	}
	r := &Result{Version: Version, URL: base.Redacted(), Source: p.Source, Groups: []*Group{}}
	c := client(t.Anywhere, max(o.Concurrent, 1), t.Timeout)
	defer c.CloseIdleConnections()
	for i, round := range rounds {
		for _, got := range s.send(ctx, c, round) {
			if errors.Is(got.err, ErrPublic) {
				return nil, got.err
			}
			r.add(round, got)
		}
		if t.Progress != nil {
			t.Progress(i+1, len(rounds))
		}
		if ctx.Err() != nil {
			break
		}
	}
	r.finish(rounds)
	if r.NoAnswer == r.Deliveries {
		return nil, fmt.Errorf("nobody answers: %s", r.Groups[0].Errors[0])
	}
	return r, nil
}

// send makes the requests of a round, all of them ready before the first is
// sent.
func (s *signer) send(ctx context.Context, c *http.Client, r round) []one {
	all := make([]one, r.times)
	start := make(chan struct{})
	var ready, done sync.WaitGroup
	for i := range all {
		ready.Add(1)
		done.Go(func() {
			req, err := s.request(ctx, r)
			ready.Done()
			<-start
			if err != nil {
				all[i].err = err
				return
			}
			all[i] = exchange(c, req)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return all
}

// most is how much of an answer is read.
const most = 1 << 20

func exchange(c *http.Client, req *http.Request) one {
	begin := time.Now()
	answer, err := c.Do(req)
	if err != nil {
		return one{err: plain(err)}
	}
	_, err = io.Copy(io.Discard, io.LimitReader(answer.Body, most))
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return one{err: fmt.Errorf("read the answer: %w", err)}
	}
	return one{status: answer.StatusCode, took: time.Since(begin)}
}

// plain takes the URL out of an error: a token may stand in its query.
func plain(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
