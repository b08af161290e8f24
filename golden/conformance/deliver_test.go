package conformance

import "testing"

// TestMessageIsTheAgreedOne pins the bytes and the signature that all cases build on.
func TestMessageIsTheAgreedOne(t *testing.T) {
	text := body("paid", "evt_1", "o-1", 100)
	if len(text) != 73 {
		t.Errorf("%d bytes, want 73", len(text))
	}
	if got, want := sign(text), "5790572106df5c2d60cfb5838f4fe0486bb9d383d2c93b7aa78be0a630cf0c55"; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}
