package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whgen/whgen/generator/send"
)

const ordersConfig = "../../examples/orders/whgen.yaml"

// TestSendPrints runs the verb against a server that acknowledges everything.
func TestSendPrints(t *testing.T) {
	t.Setenv("SHOP_WEBHOOK_SECRET", "whg_test_secret_0123456789abcdef")
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { paths = append(paths, r.URL.Path) }))
	defer server.Close()
	send := func(args ...string) (code int, stdout, stderr string) {
		var out, err bytes.Buffer
		code = run(append(append([]string{"send", "--config", ordersConfig}, args...), server.URL+"/webhooks/shop"), &out, &err)
		return code, out.String(), err.String()
	}

	code, out, errs := send("--event", "orderCreated", "--repeat", "2")
	if code != exitFine || !strings.Contains(out, "1 x 200 (processed)") || !strings.Contains(out, "1 x 200 (duplicate)") || errs != "" {
		t.Errorf("exit code %d, want 0\n%s%s", code, out, errs)
	}
	if !strings.Contains(out, "200 is the answer of processed, duplicate, conflict, rejected") {
		t.Errorf("it is not said that 200 means several outcomes:\n%s", out)
	}
	if len(paths) != 2 || paths[0] != "/webhooks/shop" {
		t.Errorf("requests for %v, want two for the mount point", paths)
	}
	if code, out, _ = send("--wrong-secret"); code != exitFindings || !strings.Contains(out, "NO: unauthenticated") || !strings.Contains(out, "2 unexpected") {
		t.Errorf("exit code %d, want 1: a receiver that takes a wrong secret\n%s", code, out)
	}
}

func TestSendJSON(t *testing.T) {
	t.Setenv("SHOP_WEBHOOK_SECRET", "whg_test_secret_0123456789abcdef")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer server.Close()
	var out, errs bytes.Buffer
	code := run([]string{"send", "--config", ordersConfig, "--stale", "--format", "json", server.URL}, &out, &errs)
	var r send.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || code != exitFine {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, &out, &errs)
	}
	if r.Version != send.Version || r.Deliveries != 2 || r.Unexpected != 0 || r.Groups[0].Delivery != "stale" || r.Groups[0].Answers[0].Status != 401 {
		t.Errorf("result %+v, want two stale deliveries that were refused", r)
	}
}

// TestPrivateKeyFiles: one file for every public key, or one for each by name.
func TestPrivateKeyFiles(t *testing.T) {
	dir := t.TempDir()
	one, other, empty := filepath.Join(dir, "one.pem"), filepath.Join(dir, "a=b.pem"), filepath.Join(dir, "empty")
	for name, text := range map[string]string{one: "1", other: "2", empty: " \n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readPrivateKeys([]string{other, "SHOP_KEY=" + one})
	if want := map[string]string{"": "2", "SHOP_KEY": "1"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for want, args := range map[string][]string{
		"is empty":      {empty},
		"no such file":  {filepath.Join(dir, "none")},
		"a second file": {one, other},
	} {
		if _, err := readPrivateKeys(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
