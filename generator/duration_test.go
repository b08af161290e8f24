package generator

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 500 * time.Millisecond: "500ms", 5 * time.Second: "5s", 300 * time.Second: "5m", 90 * time.Second: "90s", 90 * time.Minute: "90m",
		72 * time.Hour: "3d", 36 * time.Hour: "36h", 78265 * time.Second: "21h44m25s", 150 * time.Minute: "2h30m", 365 * 24 * time.Hour: "365d",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) is %q, want %q", d, got, want)
		}
	}
}
