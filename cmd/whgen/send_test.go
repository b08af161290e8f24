package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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
