package acceptance_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// example is the generated package whose store is broken, one rule at a time.
const example = "../../examples/orders/sqlite/shop"

const mutant = `package shop

import (
	"context"
	"crypto/rand"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/outbox"
)

type mutant struct{ whrt.Store }

func elsewhere(ds []*whrt.Delivery) []*whrt.Delivery {
	d := *ds[0]
	d.Key += rand.Text()
	d.Messages, d.Records = nil, make([]whrt.RecordRow, len(d.Records))
	for _, m := range ds[0].Messages {
		m.IdempotencyKey += rand.Text()
		d.Messages = append(d.Messages, m)
	}
	return []*whrt.Delivery{&d}
}

var (
	_ = elsewhere
	_ = time.Now
	_ outbox.Store = mutant{}
)
`

var mutants = map[string]struct{ step, code string }{
	// What a receiver does that relies on nothing: each delivery has a row.
	"UNIQUE dropped": {"repeat", `
func (m mutant) Lookup(context.Context, string) (whrt.Result, error) { return whrt.Result{Found: whrt.Absent}, nil }
func (m mutant) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	rs, err := m.Store.Deliver(ctx, ds)
	if err == nil && rs[0].Found == whrt.Stored {
		return m.Store.Deliver(ctx, elsewhere(ds))
	}
	return rs, err
}`},
	"select first": {"concurrent", `
func (m mutant) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	if r, err := m.Store.Lookup(ctx, ds[0].Key); err != nil || r.Found == whrt.Stored {
		return m.Store.Deliver(ctx, ds)
	}
	time.Sleep(20 * time.Millisecond) // the window
	rs, err := m.Store.Deliver(ctx, ds)
	if err == nil && rs[0].Found == whrt.Stored {
		return m.Store.Deliver(ctx, elsewhere(ds))
	}
	return rs, err
}`},
	"inbox row committed apart": {"failure", `
func (m mutant) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	rs, err := m.Store.Deliver(ctx, ds)
	if err != nil {
		d := *ds[0]
		d.Records, d.Messages, d.Status = make([]whrt.RecordRow, len(d.Records)), nil, whrt.StatusIgnored
		_, _ = m.Store.Deliver(ctx, []*whrt.Delivery{&d})
	}
	return rs, err
}`},
	"answer before commit": {"failure", `
func (m mutant) Deliver(ctx context.Context, ds []*whrt.Delivery) ([]whrt.Result, error) {
	rs, err := m.Store.Deliver(ctx, ds)
	if err != nil {
		return []whrt.Result{{Found: whrt.New}}, nil // the answer had gone
	}
	return rs, err
}`},
	"new key per attempt": {"relay", `
func (m mutant) ClaimMessages(ctx context.Context, limit int, lease, skew time.Duration) ([]outbox.Message, error) {
	all, err := m.Store.ClaimMessages(ctx, limit, lease, skew)
	for i := range all {
		all[i].IdempotencyKey = rand.Text()
	}
	return all, err
}`},
}

// TestMutants breaks one rule of the receiver at a time, in an overlay of the
// example, and wants the step red that is there for it.
func TestMutants(t *testing.T) {
	folder, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "acceptance_gen_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(text), "newStore(db)", "mutant{newStore(db)}", 1)
	if broken == string(text) {
		t.Fatal("the generated test does not call newStore(db)")
	}
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			replace := map[string]string{}
			for file, content := range map[string]string{"acceptance_gen_test.go": broken, "mutant_test.go": mutant + m.code} {
				path := filepath.Join(temp, file)
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				replace[filepath.Join(folder, file)] = path
			}
			overlay, err := json.Marshal(map[string]any{"Replace": replace})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(temp, "overlay.json")
			if err := os.WriteFile(path, overlay, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "test", "-count=1", "-overlay", path, "-run", "TestAcceptance", ".")
			cmd.Dir = folder
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the acceptance test is green:\n%s", out)
			}
			if !strings.Contains(string(out), "step "+m.step) {
				t.Errorf("not red at step %s:\n%s", m.step, out)
			}
		})
	}
}
