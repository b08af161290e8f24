package project

import (
	"strings"
	"testing"
)

// TestSummaryNamesWhatIsNotTested: an endpoint without an acceptance test is not
// passed over in silence.
func TestSummaryNamesWhatIsNotTested(t *testing.T) {
	s := Summary{Source: "shop", Contract: "c.yaml", Out: "shop"}
	if got := s.String(); strings.Contains(got, "acceptance") {
		t.Errorf("everything is tested, and it says\n%s", got)
	}
	s.Excepted = []string{"endpoint own: what the verifier own wants is known to your Go code alone"}
	if got, want := s.String(), "\n          not in the acceptance test: endpoint own: what the verifier"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant a line %q", got, want)
	}
}
