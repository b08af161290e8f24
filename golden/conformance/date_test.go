package conformance_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAcceptanceOnAnotherDate runs a generated acceptance test, whose deliveries
// are signed with a time, ten years from now, in another time zone, and again
// and again in one process.
func TestAcceptanceOnAnotherDate(t *testing.T) {
	const example, clock = "../../examples/orders/sqlite/shop", "../../runtime/clock.go"
	file, err := filepath.Abs(clock)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	later := strings.ReplaceAll(string(text), "return time.Now()", "return time.Now().AddDate(10, 0, 0)")
	if strings.Count(later, "AddDate") != 2 {
		t.Fatal("the clocks of the runtime do not begin with time.Now()")
	}
	folder := t.TempDir()
	changed, overlay := filepath.Join(folder, "clock.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(changed, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, content, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-overlay", overlay, "-count=5", "-run", "TestAcceptance", ".")
	cmd.Dir, cmd.Env = example, append(os.Environ(), "TZ=Asia/Kathmandu")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
