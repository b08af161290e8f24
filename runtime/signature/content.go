package signature

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

type opKind int

const (
	opText opKind = iota
	opBody
	opTimestamp
	opID
	opMethod
	opPath
	opURL
	opSecret
	opCRC32
	opSHA256
	opValue
	opFields
)

var placeholderOps = map[string]opKind{
	"body": opBody, "timestamp": opTimestamp, "id": opID, "method": opMethod, "path": opPath, "url": opURL,
	"secret": opSecret, "crc32:body": opCRC32, "sha256:body": opSHA256,
}

// op is one compiled piece of the signed text.
type op struct {
	kind   opKind
	text   string
	source Source
	fields *Fields
}

// content is the signed text, compiled.
type content struct {
	ops    []op
	url    bool   // the URL takes part
	secret bool   // the secret takes part, so that each has a text of its own
	spell  string // URLNormalize
}

func compileContent(parts []Part, spell string) content {
	c := content{spell: spell}
	for _, p := range parts {
		o := op{kind: opText, text: p.Text}
		switch {
		case p.Source != nil:
			o = op{kind: opValue, source: *p.Source}
		case p.Fields != nil:
			o = op{kind: opFields, fields: p.Fields}
			c.secret = c.secret || p.Fields.SecretAs != ""
		case p.Placeholder != "":
			o = op{kind: placeholderOps[p.Placeholder]}
		}
		c.url = c.url || o.kind == opURL
		c.secret = c.secret || o.kind == opSecret
		c.ops = append(c.ops, o)
	}
	return c
}

// signed is what a request offers: texts as received.
type signed struct {
	timestamp string
	at        time.Time
	id        string
	values    []string // of opValue, in order
	fields    [][]pair // of opFields, in order
	urls      []string // spellings; one where the URL takes no part
}

var noURL = []string{""}

// signed reads timestamp, id and the selected parts of the content.
func (d *reader) signed(s *Scheme, c *content) (signed, *Error) {
	sg := signed{urls: noURL}
	var err *Error
	if t := s.Timestamp; t != nil {
		if sg.timestamp, err = d.one(t.From, "the signed time"); err != nil {
			return sg, err
		}
		var ok bool
		if sg.at, ok = parseTime(t.Format, sg.timestamp); !ok {
			return sg, fail(Malformed, "the signed time is not written as %s: %s", t.Format, place(t.From))
		}
	}
	if s.ID != nil {
		if sg.id, err = d.one(*s.ID, "the signed id"); err != nil {
			return sg, err
		}
	}
	if c.url {
		sg.urls = spellings(c.spell, d.r.URL)
	}
	for i := range c.ops {
		switch o := &c.ops[i]; o.kind {
		case opValue:
			text, err := d.part(o.source)
			if err != nil {
				return sg, err
			}
			sg.values = append(sg.values, text)
		case opFields:
			pairs, err := d.fields(o.fields)
			if err != nil {
				return sg, err
			}
			sg.fields = append(sg.fields, pairs)
		}
	}
	return sg, nil
}

// part gives a selected value of the signed text. It may be empty, and a member
// of an item may be absent: senders that sign items leave its place empty.
func (d *reader) part(src Source) (string, *Error) {
	vs, err := d.values(src)
	switch {
	case err != nil:
		return "", err
	case len(vs) > 1:
		return "", fail(Malformed, "a signed value is there %d times: %s", len(vs), place(src))
	case len(vs) == 1:
		return vs[0], nil
	case src.In == "item":
		return "", nil
	default:
		return "", fail(Missing, "a signed value is missing: %s", place(src))
	}
}

// writer takes the signed text piece by piece: the body is not copied.
type writer interface {
	io.Writer
	text(s string)
}

// write gives the signed text under one spelling of the URL and one secret.
func (c *content) write(w writer, r *Request, sg *signed, url, secret string) {
	value, fields := 0, 0
	for i := range c.ops {
		switch o := &c.ops[i]; o.kind {
		case opText:
			w.text(o.text)
		case opBody:
			w.Write(r.Body)
		case opTimestamp:
			w.text(sg.timestamp)
		case opValue:
			w.text(sg.values[value])
			value++
		case opFields:
			o.fields.write(w, sg.fields[fields], secret)
			fields++
		default:
			w.text(placeholder(o.kind, r, sg, url, secret))
		}
	}
}

func placeholder(kind opKind, r *Request, sg *signed, url, secret string) string {
	switch kind {
	case opID:
		return sg.id
	case opMethod:
		return r.Method
	case opPath:
		return r.Path
	case opURL:
		return url
	case opSecret:
		return secret
	case opCRC32:
		return strconv.FormatUint(uint64(crc32.ChecksumIEEE(r.Body)), 10)
	case opSHA256:
		sum := sha256.Sum256(r.Body)
		return hex.EncodeToString(sum[:])
	}
	return ""
}

// fields reads a list of fields: all of them sorted, or the named ones.
func (d *reader) fields(f *Fields) ([]pair, *Error) {
	all, err := d.members(f.From)
	if err != nil {
		return nil, err
	}
	all = slices.Clone(all)
	all = slices.DeleteFunc(all, func(p pair) bool { return slices.Contains(f.Exclude, p.name) })
	if f.SecretAs != "" && slices.ContainsFunc(all, func(p pair) bool { return p.name == f.SecretAs }) {
		return nil, fail(Malformed, "the request has a field of the secret's name: %s", f.SecretAs)
	}
	slices.SortFunc(all, func(a, b pair) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return strings.Compare(a.value, b.value)
	})
	if f.Unique {
		all = slices.Compact(all)
	}
	for i := 1; i < len(all) && !f.Unique; i++ {
		if all[i].name == all[i-1].name {
			return nil, fail(Malformed, "a signed field is repeated: %s %s", f.From, all[i].name)
		}
	}
	if len(f.Names) == 0 {
		return all, nil
	}
	return f.named(all)
}

// named picks the declared fields in the declared order; the secret's own place
// is left to write.
func (f *Fields) named(all []pair) ([]pair, *Error) {
	var picked []pair
	for _, name := range f.Names {
		before := len(picked)
		for _, p := range all {
			if p.name == name {
				picked = append(picked, p)
			}
		}
		if len(picked) > before {
			continue
		}
		if name != f.SecretAs {
			return nil, fail(Missing, "a signed field is missing: %s %s", f.From, name)
		}
		picked = append(picked, pair{name: name})
	}
	return picked, nil
}

func (f *Fields) write(w writer, pairs []pair, secret string) {
	if f.SecretAs != "" {
		pairs = f.withSecret(pairs, secret)
	}
	for i, p := range pairs {
		if i > 0 {
			w.text(f.Sep)
		}
		rest := f.Each
		for rest != "" {
			k, v := strings.Index(rest, "{k}"), strings.Index(rest, "{v}")
			switch {
			case k < 0 && v < 0:
				w.text(rest)
				rest = ""
			case v < 0 || k >= 0 && k < v:
				w.text(rest[:k])
				w.text(p.name)
				rest = rest[k+3:]
			default:
				w.text(rest[:v])
				w.text(p.value)
				rest = rest[v+3:]
			}
		}
	}
}

func (f *Fields) withSecret(pairs []pair, secret string) []pair {
	own := pair{f.SecretAs, secret}
	pairs = slices.Clone(pairs)
	if at := slices.Index(f.Names, f.SecretAs); at >= 0 {
		for i := range pairs {
			if pairs[i].name == f.SecretAs {
				pairs[i] = own
			}
		}
		return pairs
	}
	if len(f.Names) > 0 {
		return append(pairs, own)
	}
	at, _ := slices.BinarySearchFunc(pairs, own, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	return slices.Insert(pairs, at, own)
}
