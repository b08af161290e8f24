package signature

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tokenVerifier compares a text that the request carries with the secrets.
// Hashes are compared, so that unequal lengths take the same time.
type tokenVerifier struct {
	scheme  Scheme
	digests [][sha256.Size]byte
	read    func(value string) (string, *Error)
}

func newTokenVerifier(s Scheme, secrets []string, read func(string) (string, *Error)) *tokenVerifier {
	v := &tokenVerifier{scheme: prepared(s), read: read}
	for _, text := range secrets {
		v.digests = append(v.digests, sha256.Sum256([]byte(text)))
	}
	return v
}

func (v *tokenVerifier) Verify(r *Request, now time.Time) (Result, error) {
	match, err := v.verify(r, now)
	if err != nil {
		return Result{}, err
	}
	return Result{Secret: match}, nil
}

func (v *tokenVerifier) verify(r *Request, now time.Time) (int, *Error) {
	d := reader{r: r}
	if err := d.required(v.scheme.Require); err != nil {
		return 0, err
	}
	offers, err := d.signatures(&v.scheme, nil)
	if err != nil {
		return 0, err
	}
	match := -1
	var refused *Error
	for _, line := range offers {
		text, err := v.read(line)
		if err != nil {
			refused = err
			continue
		}
		got := sha256.Sum256([]byte(text))
		for i := range v.digests {
			equal := subtle.ConstantTimeCompare(got[:], v.digests[i][:]) == 1
			if equal && match < 0 && active(v.scheme, i, now) {
				match = i
			}
		}
	}
	switch {
	case match >= 0:
		return match, nil
	case refused != nil:
		return 0, refused
	default:
		return 0, fail(Mismatch, "the token does not match")
	}
}

func compileToken(s Scheme, secrets []string) (Verifier, error) {
	texts := make([]string, len(secrets))
	for i, text := range secrets {
		key, err := keyBytes(s.Decode, text)
		if err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Secrets[i].Name, err)
		}
		texts[i] = string(key)
	}
	return newTokenVerifier(s, texts, func(text string) (string, *Error) { return text, nil }), nil
}

func authorization(s Scheme) Scheme {
	if len(s.From) == 0 {
		s.From = []Source{{In: "header", Name: "Authorization"}}
	}
	s.Prefix, s.List = "", nil
	return s
}

func compileBearer(s Scheme, secrets []string) (Verifier, error) {
	return newTokenVerifier(authorization(s), secrets, func(line string) (string, *Error) {
		return credentials("bearer", line)
	}), nil
}

func compileBasic(s Scheme, secrets []string) (Verifier, error) {
	for i, text := range secrets {
		if !strings.Contains(text, ":") || text == ":" {
			return nil, fmt.Errorf("secret %s: %w", s.Secrets[i].Name, errors.New("is not written user:password"))
		}
	}
	return newTokenVerifier(authorization(s), secrets, readBasic), nil
}

func readBasic(line string) (string, *Error) {
	text, err := credentials("basic", line)
	if err != nil {
		return "", err
	}
	pair, bad := strictBase64.DecodeString(text)
	if bad != nil || strings.ContainsAny(text, "\r\n") || !slices.Contains(pair, ':') {
		return "", fail(Malformed, "the credentials are malformed")
	}
	return string(pair), nil
}

// credentials takes the scheme word, in any letter case, and one blank away.
func credentials(word, line string) (string, *Error) {
	got, rest, ok := strings.Cut(line, " ")
	if !ok || !strings.EqualFold(got, word) {
		return "", fail(Malformed, "the authorization is not of the scheme %s", word)
	}
	if rest == "" || strings.HasPrefix(rest, " ") {
		return "", fail(Malformed, "the credentials are malformed")
	}
	return rest, nil
}

type noneVerifier struct{ scheme Scheme }

func compileNone(s Scheme, _ []string) (Verifier, error) { return &noneVerifier{prepared(s)}, nil }

func (v *noneVerifier) Verify(r *Request, _ time.Time) (Result, error) {
	d := reader{r: r}
	if err := d.required(v.scheme.Require); err != nil {
		return Result{}, err
	}
	return Result{Secret: -1}, nil
}
