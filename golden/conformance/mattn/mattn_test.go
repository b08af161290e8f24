//go:build cgo

package mattn

import (
	"os"
	"path/filepath"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/whgen/whgen/golden/conformance"
)

var backend = conformance.SQLite("mattn", "sqlite3")

func TestMain(m *testing.M) { os.Exit(conformance.Main(m.Run, backend)) }

func TestConformance(t *testing.T) {
	conformance.Run(t, backend, func(t *testing.T) string { return filepath.Join(t.TempDir(), "receiver.db") })
}
