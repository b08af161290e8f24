package generator

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/whgen/whgen/spec"
)

// TestSendersChallenges drives the handshakes of real senders through
// receivers: declared in the contract's words, and as the presets have them.
func TestSendersChallenges(t *testing.T) {
	f := jen.NewFilePathName("main", "main")
	f.ImportAlias(whrtPath, "whrt")
	var lines []jen.Code
	seen := 0
	add := func(name string, e *spec.Endpoint) {
		lines = append(lines, jen.Id("declared").Index(jen.Lit(name)).Op("=").Id("declaration").Values(fields(
			field("scheme", scheme(e.Signature)),
			field("challenges", list("Challenge", len(e.Challenges), func(i int) []jen.Code { return challenge(e.Challenges[i]) })))...))
	}
	for _, s := range readVectors(t) {
		if s.Challenge == nil {
			continue
		}
		if s.Scheme["type"] == "plugin" {
			if s.Challenge["authenticate"] == "signature" {
				t.Logf("excepted: %s, whose requests only code can verify", s.Name)
				continue
			}
			s.Scheme = map[string]any{"type": "none", "confirm": "only the challenge is looked at"}
		}
		seen++
		policy := s.policyOfChallenge()
		policy["signature"], policy["challenge"] = s.signature(), challengeOf(s.Challenge)
		add(s.Name, loadPolicy(t, s.Name, policy).Endpoints[0])
		if at := slices.IndexFunc(presetsOfSpec, func(p spec.Preset) bool { return p.Name == s.Name && p.Challenge }); at >= 0 {
			policy := s.policyOfChallenge()
			policy["preset"] = s.Name
			add("preset "+s.Name, loadPolicy(t, s.Name, policy).Endpoints[0])
		}
	}
	f.Func().Id("init").Params().Block(lines...)
	out, err := runVectors(t, f, "challenges")
	t.Logf("%s", out)
	if err != nil || seen == 0 || len(lines) < seen+5 {
		t.Errorf("%d senders, %d declarations: %v", seen, len(lines), err)
	}
}

// policyOfChallenge is a contract but for signature and challenge.
func (s vectorSender) policyOfChallenge() map[string]any {
	policy := map[string]any{
		"version": 1, "source": "vectors", "publicUrl": "PUBLIC_URL",
		"outcomes": map[string]any{"processed": 200, "duplicate": 200, "conflict": 200, "inProgress": 503, "failed": 500},
		"event":    map[string]any{"type": nil, "items": nil, "key": nil, "derived": map[string]any{"of": "/id"}, "replay": "process"},
	}
	params := map[string]string{}
	secrets, public := 0, 0
	for _, v := range challengeVectors(s.Challenge) {
		secrets, public = max(secrets, countOf(v["secrets"])), max(public, countOf(v["public_keys"]))
		if p, ok := v["params"].(map[string]any); ok {
			for name := range maps.Keys(p) {
				params[name] = "P_" + strings.ToUpper(name)
			}
		}
	}
	if len(params) > 0 {
		policy["params"] = params
	}
	if public > 0 {
		policy["keys"] = namesOf(public)
	} else {
		policy["secrets"] = namesOf(max(1, secrets)) // some challenges are not signed, but deliveries are
	}
	return policy
}

func challengeVectors(c map[string]any) []map[string]any {
	var all []map[string]any
	vectors, _ := c["vectors"].([]any)
	for _, v := range vectors {
		all = append(all, v.(map[string]any))
	}
	return all
}

func countOf(v any) int {
	list, _ := v.([]any)
	return len(list)
}

func namesOf(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("S%d", i))
	}
	return all
}

var jsonPlace = regexp.MustCompile(`([{:+])json:(/)`)

// challengeOf writes a challenge of the vectors in the contract's words.
func challengeOf(c map[string]any) map[string]any {
	out := renamed(c, map[string]string{"authenticate": "authenticate", "refuse_status": "refuseStatus"})
	var match []any
	for _, m := range c["match"].([]any) {
		m := m.(map[string]any)
		one := map[string]any{"from": selectorOf(m)}
		if m["equals"] != nil {
			one["equals"] = m["equals"]
		}
		match = append(match, one)
	}
	out["match"] = match
	if list, ok := c["check"].([]any); ok {
		var check []any
		for _, k := range list {
			k := k.(map[string]any)
			check = append(check, map[string]any{"from": selectorOf(k), "param": k["param"]})
		}
		out["check"] = check
	}
	respond := renamed(c["respond"].(map[string]any), map[string]string{"status": "status", "content_type": "contentType", "headers": "headers", "json": "json"})
	if body, ok := c["respond"].(map[string]any)["body"].(string); ok {
		respond["body"] = jsonPlace.ReplaceAllString(body, "$1$2")
	}
	out["respond"] = respond
	return out
}
