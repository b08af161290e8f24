package send

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/whgen/whgen/runtime/signature"
	"github.com/whgen/whgen/spec"
)

// signer makes the requests of one target.
type signer struct {
	base    *url.URL
	options Options
	secret  func(name string) (string, bool)
	now     func() time.Time
}

// request is one attempt: a new one is signed for each, as senders do.
func (s *signer) request(ctx context.Context, r round) (*http.Request, error) {
	d := r.make
	u := *s.base
	u.Path = strings.TrimSuffix(u.Path, "/") + d.Endpoint.Path
	u.RawQuery = strings.TrimPrefix(d.Query, "?")
	if s.base.RawQuery != "" {
		u.RawQuery = strings.Trim(s.base.RawQuery+"&"+u.RawQuery, "&")
	}
	header := http.Header{"Content-Type": {d.ContentType}, "User-Agent": {"whgen-send"}}
	for _, h := range d.Headers {
		header.Set(h[0], h[1])
	}
	signed := &signature.Request{Method: d.Method, Path: u.EscapedPath(), RawQuery: u.RawQuery, Header: header, Body: r.body, JSON: reader(r.body)}
	signed.URL = u.String()
	if err := s.sign(d.Endpoint.Signature, signed); err != nil {
		return nil, fmt.Errorf("event %s: %w", r.event.Name, err)
	}
	u.RawQuery = signed.RawQuery
	body := signed.Body
	if s.options.Tamper {
		body = tampered(body)
	}
	req, err := http.NewRequestWithContext(ctx, d.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Header = header
	return req, nil
}

// sign adds signature and time, and before that what is signed and not there yet.
func (s *signer) sign(declared *spec.Scheme, r *signature.Request) error {
	if declared == nil || declared.Type == "none" {
		return nil
	}
	scheme := schemeOf(declared)
	if id := scheme.ID; id != nil && id.In == "header" && r.Header.Get(id.Name) == "" {
		r.Header.Set(id.Name, "msg_"+strconv.FormatInt(s.now().UnixNano(), 36))
	}
	for _, p := range scheme.Content {
		if p.Source != nil && p.Source.In == "header" && r.Header.Get(p.Source.Name) == "" {
			r.Header.Set(p.Source.Name, "sample")
		}
	}
	secret, err := s.key(declared)
	if err != nil {
		return err
	}
	at := s.now()
	if s.options.Stale {
		at = at.Add(-declared.Timestamp.Tolerance - time.Minute)
	}
	return signature.Sign(scheme, secret, r, at)
}

// key is the first secret that is set and still counts, or a wrong one in the
// form that the scheme reads.
func (s *signer) key(declared *spec.Scheme) (string, error) {
	if s.options.WrongSecret {
		return wrongSecret(declared), nil
	}
	var names []string
	for _, one := range declared.Secrets {
		if !one.Until.IsZero() && s.now().After(one.Until) {
			continue
		}
		if text, ok := s.secret(one.Name); ok && text != "" {
			return text, nil
		}
		names = append(names, one.Name)
	}
	return "", fmt.Errorf("sign the delivery: set the environment variable %s to the receiver's secret", strings.Join(names, " or "))
}

func wrongSecret(s *spec.Scheme) string {
	text := "whgen send wrong secret 0123456789"
	switch {
	case s.Type == "basic":
		return "whgen-send:wrong-secret"
	case s.Type == "bearer" || s.Type == "token":
		return s.Decode.StripPrefix + strings.ReplaceAll(text, " ", "-")
	case s.Decode.Encoding == "base64":
		return s.Decode.StripPrefix + base64.StdEncoding.EncodeToString([]byte(text))
	case s.Decode.Encoding == "hex":
		return s.Decode.StripPrefix + hex.EncodeToString([]byte(text))
	}
	return s.Decode.StripPrefix + text
}

// tampered is a body with one byte changed: a digit or letter, so that JSON
// stays JSON where there is one.
func tampered(body []byte) []byte {
	changed := bytes.Clone(body)
	for i := len(changed) - 1; i >= 0; i-- {
		switch c := changed[i]; {
		case c >= '0' && c < '9', c >= 'a' && c < 'e', c >= 'g' && c < 'm':
			changed[i]++
			return changed
		}
	}
	return append(changed, ' ')
}

// reader gives scalars of a JSON body by pointer: the text of a string, else
// the value's own.
func reader(body []byte) func(string) (string, bool) {
	return func(pointer string) (string, bool) {
		value := json.RawMessage(body)
		for _, token := range strings.Split(pointer, "/")[1:] {
			var object map[string]json.RawMessage
			var array []json.RawMessage
			switch {
			case json.Unmarshal(value, &object) == nil:
				value = object[unescape(token)]
			case json.Unmarshal(value, &array) == nil:
				i, err := strconv.Atoi(token)
				if err != nil || i < 0 || i >= len(array) {
					return "", false
				}
				value = array[i]
			default:
				return "", false
			}
		}
		var text string
		switch err := json.Unmarshal(value, &text); {
		case len(value) == 0 || string(value) == "null" || value[0] == '{' || value[0] == '[':
			return "", false
		case err == nil:
			return text, true
		}
		return string(value), true
	}
}
