package runtime

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/whgen/whgen/runtime/signature"
)

// signatureRequest is what the scheme gets to see of a request: the parts as
// they came over the wire.
func (rq *request) signatureRequest() *signature.Request {
	r, needs := rq.http, &rq.endpoint.signatureNeeds
	s := &signature.Request{Method: r.Method, RawQuery: r.URL.RawQuery, Host: r.Host, Header: r.Header, Body: rq.signedBytes()}
	if rq.media.isForm() {
		s.Form = rq.signedForm
	}
	if needs.URL {
		s.URL = rq.publicURL()
	}
	if needs.Path {
		s.Path = rq.publicPath()
	}
	if needs.Remote {
		s.Remote = remoteAddr(r, rq.rcv.proxies)
	}
	if needs.JSON {
		s.JSON = rq.signedJSON
	}
	if needs.Items {
		s.Items = rq.signedItems
	}
	if needs.Members {
		s.Members = rq.signedMembers
	}
	if needs.Param {
		s.Param = rq.param
	}
	return s
}

// publicURL is the address that the sender called: that of the mount point,
// followed by the endpoint's path and the query, as they came.
func (rq *request) publicURL() string {
	base := rq.rcv.publicURL
	if base == "" {
		return ""
	}
	if len(rq.endpoint.segments) > 0 {
		base = strings.TrimSuffix(base, "/") + rq.endpoint.below(rq.http.URL.EscapedPath())
	}
	if u := rq.http.URL; u.RawQuery != "" || u.ForceQuery {
		return base + "?" + u.RawQuery
	}
	return base
}

// publicPath is the path that the sender called: of the public address where
// that is known, since a proxy may rewrite it, else as it came over the wire.
func (rq *request) publicPath() string {
	if u, err := url.Parse(rq.publicURL()); err == nil && u.Host != "" {
		return u.EscapedPath()
	}
	path, _, _ := strings.Cut(rq.http.RequestURI, "?")
	if strings.HasPrefix(path, "/") {
		return path
	}
	return rq.http.URL.EscapedPath() // a request that no server has read
}

// remoteAddr is the address of the sender: the peer's, or where that is a
// trusted proxy the last one in X-Forwarded-For that is not.
func remoteAddr(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	addr := peer.Addr().Unmap()
	if len(proxies) == 0 {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr) }) {
			return addr
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return addr
		}
		addr = next.Unmap()
	}
	return addr
}

func (rq *request) param(name string) (string, bool) {
	v, ok := rq.rcv.settings[name]
	return v, ok
}

// signedJSON reads a scalar for the signature scheme, before verification.
func (rq *request) signedJSON(pointer string) (string, bool) {
	slot, ok := rq.endpoint.signedJSON[pointer]
	if !ok || rq.parse() != nil || !rq.json {
		return "", false
	}
	return scalar(rq.slot(slot))
}

// scalar is the text of a scalar: of a string its content, else as it came.
func scalar(raw jsontext.Value) (string, bool) {
	if len(raw) == 0 || raw[0] == 'n' {
		return "", false
	}
	v := value{ok: true, json: raw}
	return v.plain(), !v.composite()
}

// signedItems reads the elements that are signed one by one. The whole body has
// been found to be valid by then, names unique.
func (rq *request) signedItems(pattern string) ([]signature.Lookup, bool) {
	if rq.parse() != nil || !rq.json {
		return nil, false
	}
	found, ok := elements(rq.doc, pattern)
	items := make([]signature.Lookup, len(found))
	for i, raw := range found {
		items[i] = func(pointer string) (string, bool) { return scalar(at(raw, pointer)) }
	}
	return items, ok
}

// signedMembers reads the scalars at the root of the body.
func (rq *request) signedMembers() ([]signature.Element, bool) {
	if rq.parse() != nil || !rq.json {
		return nil, false
	}
	var all []signature.Element
	ok := eachMember(rq.doc, '{', func(name string, raw jsontext.Value) {
		if text, plain := scalar(raw); plain {
			all = append(all, signature.Element{Name: name, Value: text})
		}
	})
	return all, ok
}

// elements gives the values that a JSON Pointer with * reaches, in order; false
// where a step of it leads nowhere.
func elements(body []byte, pattern string) ([]jsontext.Value, bool) {
	found := []jsontext.Value{body}
	for token := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		var next []jsontext.Value
		for _, v := range found {
			if token == "*" {
				if !eachMember(v, '[', func(_ string, raw jsontext.Value) { next = append(next, raw) }) {
					return nil, false
				}
				continue
			}
			raw := at(v, "/"+token)
			if raw == nil {
				return nil, false
			}
			next = append(next, raw)
		}
		found = next
	}
	return found, true
}

// at is the value at a JSON Pointer, nil where there is none.
func at(v jsontext.Value, pointer string) jsontext.Value {
	if pointer == "" {
		return v
	}
	root, slots := newNode(), 0
	root.add(pointer, &slots)
	values := make([]jsontext.Value, slots)
	if scan(root, v, values) != nil {
		return nil
	}
	return values[0]
}

// eachMember calls f for the members of an object ('{') or the elements of a
// list ('['); false where v is something else.
func eachMember(v jsontext.Value, kind jsontext.Kind, f func(name string, raw jsontext.Value)) bool {
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	if d.PeekKind() != kind {
		return false
	}
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		name := ""
		if kind == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return false
			}
			name = token.String()
		}
		raw, err := d.ReadValue()
		if err != nil {
			return false
		}
		f(name, raw.Clone())
	}
	return true
}
