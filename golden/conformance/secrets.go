package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	whrt "github.com/whgen/whgen/runtime"
)

// secrets are about what is verified with, at start and later.
var secrets = []caseOf{
	{name: "no secret, no start", run: noSecret},
	{name: "a provider that fails at run time", run: failingProvider},
	{name: "white space around a secret", run: whiteSpace},
	{name: "forms of a secret", run: formsOfSecret, habits: true},
	{name: "rotation", run: rotation, habits: true},
}

// refuses tries to start a receiver of Credits and wants an error that names the
// secret and does not show it.
func (b *bench) refuses(secrets whrt.Secrets, value string) {
	b.Helper()
	o := b.options()
	o.Secrets = secrets
	_, err := b.pool.Credits(b.Context(), o)
	b.tellsName(err, "CREDITS_SECRET", value)
}

func (b *bench) tellsName(err error, name, value string) {
	b.Helper()
	switch {
	case err == nil:
		b.Errorf("secret %q: the receiver starts", value)
	case !strings.Contains(err.Error(), name):
		b.Errorf("secret %q: the error does not name the secret: %v", value, err)
	case strings.TrimSpace(value) != "" && strings.Contains(err.Error(), value):
		b.Errorf("secret %q: the error shows it", value)
	}
}

func noSecret(b *bench) {
	b.refuses(whrt.SecretsMap{}, "")
	for _, value := range []string{"", " ", "\n"} {
		b.refuses(whrt.SecretsMap{"CREDITS_SECRET": value}, value)
	}
	b.refuses(whrt.FileSecrets(b.TempDir()), "")
}

// provider is one that is asked for each request.
type provider func() (string, error)

func (p provider) Dynamic()                                       {}
func (p provider) Secret(context.Context, string) (string, error) { return p() }

// failingProvider: nothing can be verified, so nothing is acknowledged, and
// nothing is refused for good.
func failingProvider(b *bench) {
	answer := func() (string, error) { return "", errors.New("the vault is sealed") }
	o := b.options()
	o.Secrets = provider(func() (string, error) { return answer() })
	r, err := b.pool.Credits(b.Context(), o)
	b.must(err) // with a warning: the provider may be back by the first delivery
	if len(b.counters.Warnings()) == 0 {
		b.Error("nothing warns of the provider at start")
	}
	url, text := b.serve(r), b.body("evt_28", "o-28", 1)
	b.wantAt(url, text, 503)
	answer = func() (string, error) { panic("the vault is on fire") }
	b.wantAt(url, text, 503)
	b.rows(0, 0, 0)
	b.outcome(whrt.Failed, 2)
	answer = func() (string, error) { return secret, nil }
	b.wantAt(url, text, 200)
	b.rows(1, 1, 1)
}

// whiteSpace: what can only be a mistake refuses the start; what may be meant is
// taken as it is, with a warning. A file's own line end belongs to the file.
func whiteSpace(b *bench) {
	for _, value := range []string{secret + "\n", secret + "\r\n", " " + secret, "\ufeff" + secret, secret + "\t", secret + "\x00"} {
		b.refuses(whrt.SecretsMap{"CREDITS_SECRET": value}, value)
	}
	name := filepath.Join(b.TempDir(), "CREDITS_SECRET")
	for _, value := range []string{"\ufeff" + secret, " " + secret, secret + " \n"} {
		b.must(os.WriteFile(name, []byte(value), 0o600))
		b.refuses(whrt.FileSecrets(filepath.Dir(name)), value)
	}
	text := b.body("evt_29", "o-29", 1)
	for _, end := range []string{"\n", "\r\n", ""} {
		b.must(os.WriteFile(name, []byte(secret+end), 0o600))
		b.wantAt(b.with(whrt.FileSecrets(filepath.Dir(name))), text, 200)
	}
	b.rows(1, 1, 1)
	for i, value := range []string{strings.Replace(secret, "_", " ", 1), `"` + secret + `"`} {
		url := b.with(whrt.SecretsMap{"CREDITS_SECRET": value})
		warnings := b.counters.Warnings()
		if len(warnings) != i+1 || warnings[i].Setting != "CREDITS_SECRET" || strings.Contains(warnings[i].Text, secret) {
			b.Errorf("warnings are %v, want one more, about CREDITS_SECRET", warnings)
		}
		b.wantAt(url, text, 401)
		b.compare(do(b.told(url, value, text)), text, 200)
	}
	b.rows(1, 1, 1)
	if strings.Contains(b.log.String(), secret) {
		b.Error("the log shows the secret")
	}
}

// with starts a receiver of Credits with other secrets.
func (b *bench) with(secrets whrt.Secrets) string {
	b.Helper()
	o := b.options()
	o.Secrets = secrets
	r, err := b.pool.Credits(b.Context(), o)
	b.must(err)
	return b.serve(r)
}

// formsOfSecret: one text, taken as base64 behind a prefix, or as it stands.
func formsOfSecret(b *bench) {
	url := b.habits(nil)
	for i, c := range []struct {
		endpoint, key string
		status        int
	}{{"prefixed", secret, 200}, {"prefixed", textSecret, 401}, {"plain", secret, 401}, {"plain", textSecret, 200}} {
		text := fact("evt_27", i, "")
		b.compare(do(b.told(url+"/"+c.endpoint, c.key, text)), c.endpoint, c.status)
	}
	b.facts(2)
	for _, value := range []string{"v1," + textSecret, "whsec_", "whsec_no base64 !"} {
		o := b.options()
		secrets := habitsSecrets()
		secrets["TEXT_SECRET"], o.Secrets = value, secrets
		_, err := b.pool.Habits(b.Context(), o)
		b.tellsName(err, "TEXT_SECRET", strings.TrimPrefix(value, "whsec_"))
	}
}

// rotation: the old secret counts until the end of its last day.
func rotation(b *bench) {
	clock := stoppedAt(time.Date(2026, 12, 1, 23, 59, 0, 0, time.UTC))
	url := b.habits(func(o *Options) { o.Clock, o.NoRelay = clock, true }) + "/rotating"
	old, young := habitsSecrets()["OLD_SECRET"], habitsSecrets()["NEW_SECRET"]
	a, other, late := fact("evt_31a", 1, ""), fact("evt_31b", 1, ""), fact("evt_31c", 1, "")
	b.compare(do(b.told(url, old, a)), a, 200)
	b.compare(do(b.told(url, young, other)), other, 200)
	clock.set(clock.Now().Add(2 * time.Minute))
	b.compare(do(b.told(url, old, late)), "the old secret on the next day", 401)
	b.compare(do(b.told(url, young, a)), a, 200)
	b.facts(2)
	b.outcome(whrt.Duplicate, 1)
	if n := b.counters.Secret("OLD_SECRET"); n != 1 {
		b.Errorf("the old secret has verified %d times, want 1", n)
	}
	b.habits(nil) // its relay sends what there is
}
