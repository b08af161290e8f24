package check

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
)

const mount = "/webhooks"

// request is the signed delivery of a payload, as its sender would make it.
// Values that stand outside of the body are made up from id.
func (r *Receiver) request(x expectation, body []byte, id string) (*http.Request, error) {
	e := &r.Definition.Endpoints[x.endpoint]
	header, query := http.Header{}, url.Values{}
	put := func(s whrt.Selector, text string) {
		switch s.Kind {
		case whrt.Header:
			if header.Get(s.Name) == "" {
				header.Set(s.Name, text)
			}
		case whrt.Query:
			query.Set(s.Name, text)
		}
	}
	for _, s := range e.Type {
		put(s, headType(e, x.wire, body))
	}
	if x.event >= 0 {
		for _, s := range outside(&r.Definition.Events[x.event]) {
			put(s, id)
		}
	}
	if s := e.Scheme.ID; s != nil && s.In == "header" && header.Get(s.Name) == "" {
		header.Set(s.Name, id)
	}
	header.Set("Content-Type", media(e))
	signed := &signature.Request{Method: method(e), Path: mount + e.Path, RawQuery: query.Encode(), Header: header, Body: body}
	signed.URL = "https://receiver.invalid" + signed.Path
	if e.Scheme.Type != "none" {
		if err := signature.Sign(e.Scheme, secret(e.Scheme), signed, time.Now()); err != nil {
			return nil, fmt.Errorf("sign the delivery: %w", err)
		}
	}
	target := signed.Path
	if signed.RawQuery != "" {
		target += "?" + signed.RawQuery
	}
	req := httptest.NewRequest(signed.Method, target, bytes.NewReader(signed.Body))
	req.Header = signed.Header
	return req, nil
}

// outside are the values of an event that need not stand in its body.
func outside(e *whrt.Event) []whrt.Selector {
	all := slices.Clone(e.Key)
	for _, record := range e.Records {
		for _, c := range record.Columns {
			all = append(all, c.From)
		}
	}
	return all
}

func media(e *whrt.Endpoint) string {
	if len(e.Media) == 0 || slices.Contains(e.Media, "application/json") {
		return "application/json"
	}
	return e.Media[0]
}

func method(e *whrt.Endpoint) string {
	if len(e.Methods) == 0 {
		return http.MethodPost
	}
	return e.Methods[0]
}

// secret is a text that the scheme can read as a key.
func secret(s signature.Scheme) string {
	const text = "secret of the senders' check, thirty-two bytes and more"
	switch {
	case s.Type == "basic":
		return "sender:" + strings.ReplaceAll(text, " ", "-")
	case s.Decode.Encoding == "base64":
		return s.Decode.StripPrefix + base64.StdEncoding.EncodeToString([]byte(text))
	case s.Decode.Encoding == "hex":
		return s.Decode.StripPrefix + hex.EncodeToString([]byte(text))
	}
	return s.Decode.StripPrefix + strings.ReplaceAll(text, " ", "-")
}
