package signature

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Sign does what the sender does: it adds signature, timestamp, pinned values
// and hash of the body to the request, made at now. The key is the secret, and
// for signatures with public keys the private one in PEM (PKCS #8), for "jwt"
// also as a JSON Web Key. A signed id, header or query that is not there yet gets
// a random value. What the scheme
// reads from a form or a JSON body is written into that body; Sign reads such
// bodies itself where r has no JSON, Items and Members. For "ip" it sets
// r.Remote. Plug-ins cannot be signed for.
func Sign(s Scheme, key string, r *Request, now time.Time) error {
	if len(s.members()) > 0 {
		return errors.New("sign request: several schemes need their keys by name: SignAll")
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	s = prepared(s)
	s.Secrets = []Secret{{Name: "given"}}
	if r.JSON == nil && r.Items == nil && r.Members == nil {
		JSONBody(r)
		defer func() { r.JSON, r.Items, r.Members = nil, nil, nil }()
	}
	g := &signer{scheme: s, key: key, reader: reader{r: r}, now: now}
	if err := g.sign(); err != nil {
		return fmt.Errorf("sign request: %w", err)
	}
	return nil
}

// SignAll is Sign for any scheme, with the keys by the names that it declares:
// the first key of each member, of Any the first member alone.
func SignAll(s Scheme, keys map[string]string, r *Request, now time.Time) error {
	switch {
	case len(s.Any) > 0:
		return SignAll(s.Any[0], keys, r, now)
	case len(s.All) > 0:
		for _, m := range s.All {
			if err := SignAll(m, keys, r, now); err != nil {
				return err
			}
		}
		return nil
	case len(s.Secrets) == 0:
		return Sign(s, "", r, now)
	}
	key, ok := keys[s.Secrets[0].Name]
	if !ok {
		return fmt.Errorf("sign request: the key %s is not given", s.Secrets[0].Name)
	}
	return Sign(s, key, r, now)
}

// signer signs one request.
type signer struct {
	reader
	scheme Scheme
	key    string
	now    time.Time
	at     string // pointer of the current item
}

func (g *signer) sign() error {
	if err := g.pin(); err != nil {
		return err
	}
	switch s := g.scheme; s.Type {
	case "none":
		return nil
	case "ip":
		return g.fromNetwork()
	case "basic":
		return g.put(authorization(s).From[0], "Basic "+encode("base64", []byte(g.key)))
	case "bearer":
		return g.put(authorization(s).From[0], "Bearer "+g.key)
	case "token", "jwt", "hmac", "digest", "ed25519", "ecdsa", "rsa":
		if len(s.From) == 0 {
			return fmt.Errorf("signatures of type %s need a place", s.Type)
		}
		return g.signText()
	}
	return fmt.Errorf("requests of type %q cannot be signed", g.scheme.Type)
}

func (g *signer) signText() error {
	switch g.scheme.Type {
	case "token":
		key, err := keyBytes(g.scheme.Decode, g.key)
		if err != nil {
			return fmt.Errorf("secret %w", err)
		}
		return g.put(g.scheme.From[0], g.scheme.Prefix+string(key))
	case "jwt":
		token, err := g.token()
		if err != nil {
			return err
		}
		return g.put(g.scheme.From[0], g.scheme.Prefix+token)
	}
	if g.scheme.Items == "" {
		return g.signOne()
	}
	return g.eachItem(g.signOne)
}

// signOne signs the request, or the current item of it.
func (g *signer) signOne() error {
	g.elements = nil
	if err := g.stamp(); err != nil {
		return err
	}
	c := compileContent(g.scheme.Content, g.scheme.URLNormalize)
	g.form, g.query = nil, nil // they may have been written to
	sg, failed := g.signed(&g.scheme, &c)
	if failed != nil {
		return failed
	}
	sum, err := g.sum(&c, &sg)
	if err != nil {
		return err
	}
	return g.put(g.scheme.From[0], g.line(encode(g.scheme.Encoding, sum)))
}

// pin puts pinned values and the hash of the body where the scheme reads them.
func (g *signer) pin() error {
	for _, q := range g.scheme.Require {
		want := q.Equals
		if name, ok := strings.CutPrefix(want, "{param:"); ok && g.r.Param != nil {
			if v, known := g.r.Param(strings.TrimSuffix(name, "}")); known {
				want = v
			}
		}
		if vs, err := g.values(q.From); err == nil && len(vs) == 1 && vs[0] == want {
			continue
		}
		if err := g.put(q.From, want); err != nil {
			return err
		}
	}
	g.form, g.query = nil, nil
	h := g.scheme.BodyHash
	if h == nil || h.AbsentWhenEmpty && len(g.r.Body) == 0 {
		return nil
	}
	text, err := h.of(g.r.Body)
	if err != nil {
		return err
	}
	return g.put(h.From, text)
}

func (h *Hashed) of(data []byte) (string, error) {
	start, err := newHash(h.Hash)
	if err != nil {
		return "", err
	}
	digest := start()
	digest.Write(data)
	return encode(h.Encoding, digest.Sum(nil)), nil
}

// stamp puts the time where the scheme reads it, and fills what is signed and
// not there.
func (g *signer) stamp() error {
	if err := g.fill(); err != nil {
		return err
	}
	t := g.scheme.Timestamp
	if t == nil {
		return nil
	}
	text := formatTime(t.Format, g.now)
	if t.From.In == "element" {
		g.elements = append(g.elements, Element{t.From.Name, text})
		return nil
	}
	return g.put(t.From, text)
}

// fill gives a random value to a signed id, header or query that is not there.
func (g *signer) fill() error {
	var signed []Source
	if g.scheme.ID != nil {
		signed = append(signed, *g.scheme.ID)
	}
	for _, p := range g.scheme.Content {
		if p.Source != nil {
			signed = append(signed, *p.Source)
		}
	}
	for _, src := range signed {
		if src.In != "header" && src.In != "query" || g.scheme.Timestamp != nil && g.scheme.Timestamp.From == src {
			continue
		}
		if vs, err := g.values(src); err == nil && len(vs) == 0 {
			if err := g.put(src, rand.Text()); err != nil {
				return err
			}
		}
	}
	g.query = nil
	return nil
}

// line writes the signature the way the scheme has it.
func (g *signer) line(sum string) string {
	l := g.scheme.List
	if l == nil {
		return g.scheme.Prefix + sum
	}
	var items []string
	if l.Name == "" {
		for i := range l.Skip {
			item := "0"
			for _, e := range g.elements {
				if e.Name == strconv.Itoa(i) {
					item = e.Value
				}
			}
			items = append(items, item)
		}
		return strings.Join(append(items, sum), l.Separator)
	}
	for _, e := range g.elements {
		items = append(items, e.Name+l.Name+e.Value)
	}
	return strings.Join(append(items, l.Tags[0]+l.Name+sum), l.Separator)
}

func (g *signer) fromNetwork() error {
	for _, text := range g.scheme.Networks {
		n, err := ParseNetwork(text)
		if err != nil {
			return err
		}
		if g.r.Remote == (netip.Addr{}) {
			g.r.Remote = n.Addr()
		}
	}
	return nil
}

// put sets a value of the request.
func (g *signer) put(src Source, value string) error {
	r := g.r
	switch src.In {
	case "header":
		if !printable(value) {
			return fmt.Errorf("a value for %s has a line end in it", place(src))
		}
		r.Header.Set(src.Name, value)
	case "query":
		r.RawQuery = setField(r.RawQuery, src.Name, value)
		if base, _, ok := strings.Cut(r.URL, "?"); r.URL != "" || ok {
			r.URL = base + "?" + r.RawQuery
		}
	case "form":
		r.Body = []byte(setField(string(r.Body), src.Name, value))
	case "json":
		return g.putJSON(src.Name, value)
	case "item":
		return g.putItem(src.Name, value)
	default:
		return fmt.Errorf("a value cannot be put into %s", place(src))
	}
	return nil
}

// setField sets a field of a query or a form and leaves the others as they are.
func setField(text, name, value string) string {
	field := url.QueryEscape(name) + "=" + url.QueryEscape(value)
	if rest := dropField(text, name); rest != "" {
		return rest + "&" + field
	}
	return field
}

// dropField takes a field out.
func dropField(text, name string) string {
	var kept []string
	for piece := range strings.SplitSeq(text, "&") {
		key, _, _ := strings.Cut(piece, "=")
		if plain, ok := unescapeForm(key); piece != "" && (!ok || plain != name) {
			kept = append(kept, piece)
		}
	}
	return strings.Join(kept, "&")
}
