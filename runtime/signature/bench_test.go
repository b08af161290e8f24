package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

// BenchmarkVerifyHMAC compares the verification of a 2 kB body with what any
// receiver has to do by hand, in turns of one run. The goal is at most 1.15.
func BenchmarkVerifyHMAC(b *testing.B) {
	for name, s := range map[string]Scheme{"body": bare(), "list-and-time": listed()} {
		b.Run(name, func(b *testing.B) { againstBare(b, s) })
	}
}

func againstBare(b *testing.B, s Scheme) {
	r := request(strings.Repeat("x", 2048))
	if err := Sign(s, key, r, now); err != nil {
		b.Fatal(err)
	}
	v, err := Compile(s, []string{key})
	if err != nil {
		b.Fatal(err)
	}
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write(r.Body)
	sent := hex.EncodeToString(sum.Sum(nil))
	const turn = 200
	var ours, bareTime time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		for range turn {
			if _, err := v.Verify(r, now); err != nil {
				b.Fatal(err)
			}
		}
		middle := time.Now()
		for range turn {
			h := hmac.New(sha256.New, []byte(key))
			h.Write(r.Body)
			if !hmac.Equal([]byte(hex.EncodeToString(h.Sum(nil))), []byte(sent)) {
				b.Fatal("the bare comparison fails")
			}
		}
		ours, bareTime = ours+middle.Sub(start), bareTime+time.Since(middle)
	}
	n := float64(b.N * turn)
	b.ReportMetric(float64(ours)/n, "ns/verify")
	b.ReportMetric(float64(bareTime)/n, "ns/bare")
	b.ReportMetric(float64(ours)/float64(bareTime), "x-bare")
}

// allowedAllocations is for one verification.
var allowedAllocations = 2.0

// TestVerifyAllocates holds the pools to what they are for.
func TestVerifyAllocates(t *testing.T) {
	r := request(strings.Repeat("x", 2048))
	if err := Sign(bare(), key, r, now); err != nil {
		t.Fatal(err)
	}
	v, err := Compile(bare(), []string{key})
	if err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(100, func() {
		if _, err := v.Verify(r, now); err != nil {
			t.Fatal(err)
		}
	})
	if got > allowedAllocations {
		t.Errorf("a verification allocates %v times, want at most %v", got, allowedAllocations)
	}
}
