package spec

import (
	"slices"
	"strings"
)

// differences tells where the declared scheme is another one than that of the
// document's extension.
func (l *loader) differences(found *foreignScheme, declared *value, scheme *Scheme) {
	if scheme == nil {
		return
	}
	if len(found.faults) > 0 {
		l.info(declared.at, "signature-differs", "", "signature: it counts, and is not compared with %s at %s, which has no exact counterpart", found.name, found.at)
		return
	}
	theirs := l.quietly(found)
	if theirs == nil {
		return
	}
	if all := scheme.Members(); len(all) > 0 {
		if !slices.ContainsFunc(all, func(m *Scheme) bool { return len(m.differs(theirs)) == 0 }) {
			l.info(declared.at, "signature-differs", "", "signature: none of its schemes is that of %s at %s; x-whgen counts", found.name, found.at)
		}
		return
	}
	for _, d := range scheme.differs(theirs) {
		at := declared.at
		if v := declared.get(strings.Split(d.key, ".")...); v != nil {
			at = v.at
		}
		l.info(at, "signature-differs", "", "signature.%s is %s, but %s at %s says %s; x-whgen counts", d.key, said(d.ours), found.name, found.at, said(d.theirs))
	}
}

// quietly reads a foreign scheme for comparison alone.
func (l *loader) quietly(found *foreignScheme) *Scheme {
	q := &loader{report: &report{}, tree: l.tree, source: l.source, publicURL: "PUBLIC_URL", usedNames: map[Pos]bool{}, namesSeen: map[Pos]bool{}}
	return q.scheme(found.scheme, keyNames{keys: found.keys, source: l.source, at: found.at})
}

func said(text string) string {
	if text == "" {
		return "nothing"
	}
	return quoteJSON(text)
}

// fact is one thing that a scheme says, under its key in a contract.
type fact struct{ key, text string }

// contrast is one that two schemes say differently.
type contrast struct{ key, ours, theirs string }

// differs lists what two schemes say differently, but for keys; of other types
// only that.
func (s *Scheme) differs(o *Scheme) []contrast {
	var all []contrast
	theirs := o.facts()
	for i, f := range s.facts() {
		if f.text != theirs[i].text {
			all = append(all, contrast{f.key, f.text, theirs[i].text})
		}
		if f.key == "type" && len(all) > 0 {
			break
		}
	}
	return all
}

// facts are always the same ones, in one order.
func (s *Scheme) facts() []fact {
	var from []string
	for _, one := range s.From {
		from = append(from, foldHeader(&one))
	}
	all := []fact{{"type", s.Type}, {"hash", s.Hash}, {"from", strings.Join(from, ", ")}, {"prefix", s.Prefix}, {"encoding", s.Encoding},
		{"padding", s.Padding}, {"form", s.Form}, {"content", s.Content.words()}, {"id", foldHeader(s.ID)}, {"items", s.Items}, {"urlNormalize", s.URLNormalize}}
	list, hash, pinned := "", "", ""
	if s.List != nil {
		list = "a list of signatures"
	}
	if h := s.BodyHash; h != nil {
		hash = strings.Join([]string{foldHeader(&h.From), h.Hash, h.Encoding}, " ")
	}
	if len(s.Require) > 0 {
		pinned = "conditions"
	}
	decode := ""
	if !s.PublicKeys() {
		decode = strings.TrimSpace(strings.Join([]string{s.Decode.Encoding, s.Decode.StripPrefix, s.Decode.PreHash}, " "))
	}
	all = append(all, fact{"list", list}, fact{"bodyHash", hash}, fact{"require", pinned}, fact{"decode", decode},
		fact{"case", loose(s.AnyCase)}, fact{"repeat", loose(s.RepeatAny)}, fact{"prefixOptional", loose(s.PrefixOptional)})
	var where, format, past, future string
	if t := s.Timestamp; t != nil {
		where, format, past, future = foldHeader(&t.From), t.Format, inTolerance(t.Tolerance.String(), t.NoTolerance), inTolerance(t.FutureTolerance.String(), t.NoFuture)
	}
	return append(all, fact{"timestamp.from", where}, fact{"timestamp.format", format}, fact{"timestamp.tolerance", past}, fact{"timestamp.futureTolerance", future})
}

// loose writes a relaxed rule.
func loose(relaxed bool) string {
	if relaxed {
		return "any"
	}
	return ""
}

func inTolerance(text string, none bool) string {
	if none {
		return "none"
	}
	return text
}

// foldHeader is a selector as text; names of headers have no case.
func foldHeader(s *Selector) string {
	switch {
	case s == nil:
		return ""
	case s.Kind == SelectHeader:
		return strings.ToLower(s.Text())
	}
	return s.Text()
}

// words is a template as a contract writes it.
func (t *Template) words() string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range t.Parts {
		switch {
		case p.Selector != nil:
			b.WriteString("{" + foldHeader(p.Selector) + "}")
		case p.Placeholder != "":
			b.WriteString("{" + p.Placeholder + "}")
		case p.Fields != nil:
			b.WriteString("{" + p.Fields.words() + "}")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func (f *FieldList) words() string {
	names := "every field"
	if f.Names != nil {
		names = strings.Join(f.Names, ", ")
	}
	if len(f.Exclude) > 0 {
		names += " but " + strings.Join(f.Exclude, ", ")
	}
	text := names + " of the " + f.From + " as " + f.Each
	if f.Sep != "" {
		text += " with " + f.Sep
	}
	if f.SecretAs != "" {
		text += " and the secret as " + f.SecretAs
	}
	if f.Unique {
		text += ", each once"
	}
	return text
}

// summary is a scheme in one line.
func (s *Scheme) summary() string {
	text := strings.TrimSpace(s.Type + " " + s.Hash)
	for _, from := range s.From {
		text += " in " + from.Text()
	}
	text += ", " + s.Encoding
	if s.Prefix != "" {
		text += " after " + quoteJSON(s.Prefix)
	}
	text += ", over " + quoteJSON(s.Content.words())
	if h := s.BodyHash; h != nil {
		text += ", with the " + h.Hash + " of the body in " + h.From.Text()
	}
	if t := s.Timestamp; t != nil {
		text += ", with the time in " + t.From.Text() + ", at most " + t.Tolerance.String() + " off"
	}
	return text
}
