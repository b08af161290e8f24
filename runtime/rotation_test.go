package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whgen/whgen/runtime/signature"
)

func TestSecretsAreRotatedWithoutARestart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, provider := range map[string]func() Secrets{
		"folder":      func() Secrets { return FileSecrets(dir) },
		"environment": func() Secrets { t.Setenv("SHOP_SECRET_FILE", filepath.Join(dir, "SHOP_SECRET")); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			write("SHOP_SECRET", testSecret+"\n")
			h := newHarness(t, nil)
			var err error
			if h.rcv, err = NewReceiver(t.Context(), h.def, h.store, Options{Secrets: provider(), Observer: h.counters, Clock: h.clock}); err != nil {
				t.Fatal(err)
			}
			n := 0
			send := func(secret string, status int) {
				t.Helper()
				n++
				if got := h.do(h.at("/", secret, paid(fmt.Sprint("e", n), "o1", 1))); got.status != status {
					t.Errorf("answered %d, want %d", got.status, status)
				}
			}
			send(testSecret, 200)
			write("SHOP_SECRET", oldSecret)
			h.clock.Advance(fileAge)
			send(oldSecret, 200)
			send(testSecret, 401)
			for _, bad := range []string{"", "half written \n\n"} {
				write("SHOP_SECRET", bad)
				h.clock.Advance(fileAge)
				send(oldSecret, 200) // what is no secret does not replace one
			}
			if err := os.Remove(filepath.Join(dir, "SHOP_SECRET")); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				h.clock.Advance(fileAge)
				send(oldSecret, 200)
			}
			warnings := h.counters.Warnings()
			if len(warnings) != 3 {
				t.Errorf("warnings are %v, want one for each reason", warnings)
			}
			for _, w := range warnings {
				if w.Err == nil || strings.Contains(w.Err.Error(), "half") || !strings.Contains(w.Err.Error(), "SHOP_SECRET") {
					t.Errorf("the warning is %+v", w)
				}
			}
		})
	}
}

func TestEnvironmentOrFileNotBoth(t *testing.T) {
	t.Setenv("BOTH", "x")
	t.Setenv("BOTH_FILE", "/dev/null")
	if _, err := EnvSecrets().Secret(t.Context(), "BOTH"); err == nil || !strings.Contains(err.Error(), "both set") {
		t.Errorf("error is %v", err)
	}
}

func TestSecretsEndOnTheirDay(t *testing.T) {
	h := newHarness(t, func(d *Definition) {
		s := &d.Endpoints[0].Scheme
		s.Secrets = append(s.Secrets, signature.Secret{Name: "OLD", Until: time.Now().Add(time.Hour)})
	})
	for i, status := range []int{200, 401} {
		if got := h.do(h.at("/", oldSecret, paid(fmt.Sprint("e", i), "o1", 1))); got.status != status {
			t.Errorf("%d: answered %d, want %d", i, got.status, status)
		}
		h.clock.Advance(2 * time.Hour)
	}
	if h.counters.Secret("OLD") != 1 || h.counters.Secret("SHOP_SECRET") != 0 {
		t.Error("the counters do not tell the old secret from the new one")
	}
}

// Many deliveries of many tenants while their secrets change: nobody who signs
// with a secret that counts is refused, and nothing fails.
func TestRotationUnderLoad(t *testing.T) {
	dir := t.TempDir()
	put := func(tenant, secret string) {
		t.Helper()
		name := filepath.Join(dir, SecretName("SHOP_{tenant}_SECRET", tenant))
		if err := os.WriteFile(name+".new", []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil { // as platforms swap them
			t.Fatal(err)
		}
	}
	const tenants = 4
	for i := range tenants {
		put(fmt.Sprint("t", i), "kept-0123456789")
	}
	h := newTenants(t, Options{Secrets: FileSecrets(dir)})
	var all sync.WaitGroup
	var refused, failed atomic.Int64
	for worker := range 8 {
		all.Go(func() {
			for i := range 50 {
				path := fmt.Sprintf("/t%d", (worker+i)%tenants)
				switch got := h.do(h.at(path, "kept-0123456789", paid(fmt.Sprint(worker, "-", i), "o", 1))); got.status {
				case 200:
				case 401:
					refused.Add(1)
				default:
					failed.Add(1)
				}
				if got := h.do(h.at("/stranger", "kept-0123456789", paid("x", "o", 1))); got.status != 401 {
					failed.Add(1)
				}
			}
		})
	}
	for range 20 {
		put("other", "changing-0123456789")
		h.clock.Advance(fileAge)
		put("t0", "kept-0123456789")
	}
	all.Wait()
	if refused.Load() != 0 || failed.Load() != 0 {
		t.Errorf("%d were refused, %d failed: %v", refused.Load(), failed.Load(), h.counters.Outcomes())
	}
}
