package spec

import "gopkg.in/yaml.v3"

// Documents that were written for a generator of client libraries may say how
// webhooks are signed, in that generator's words. Where x-whgen declares no
// signature, what they say stands in for it; what has no exact counterpart is an
// error, so that no check is lost on the way. Where x-whgen declares one, that
// counts, and what the document says otherwise is told.

// foreignScheme is what an extension says of signatures, in our words.
type foreignScheme struct {
	name   string // of the extension
	at     Pos    // of its key
	scheme *value // as `signature`
	keys   *value // as `keys`, nil where it names none
	faults Diagnostics
}

// same reports whether two extensions declare one scheme.
func (l *loader) same(f, o *foreignScheme) bool {
	return len(l.quietly(f).differs(l.quietly(o))) == 0 && f.keys.equal(o.keys)
}

// signatureOf is the scheme of an endpoint: the declared one, else the one that
// the document carries in other words. That one's policy shows it too.
func (l *loader) signatureOf(s *scope, names keyNames) *Scheme {
	declared, found := s.policy.get("signature"), l.foreign(s)
	switch {
	case found == nil:
		return l.scheme(declared, names)
	case declared != nil:
		scheme := l.scheme(declared, names)
		l.differences(found, declared, scheme)
		return scheme
	case len(found.faults) > 0:
		l.found = append(l.found, found.faults...)
		l.useName(names.secrets)
		l.useName(names.keys)
		return &Scheme{Pos: found.at, Type: "none"} // nothing more is said of it
	}
	switch {
	case names.keys == nil:
		names.keys = found.keys
	case found.keys != nil:
		l.info(names.keys.at, "signature-differs", "", "keys: they count, not those of %s at %s", found.name, found.keys.at)
	}
	if public := contains([]string{"rsa", "ecdsa", "ed25519"}, found.scheme.get("type").text); public && fetchedForm(names.keys) == "" {
		found.scheme = found.scheme.with("decode", (&value{at: found.at, form: mapForm}).with("encoding", literalAt("pem", found.at)))
	}
	s.policy = s.policy.with("signature", found.scheme)
	scheme := l.scheme(found.scheme, names)
	scheme.Imported = found.name
	l.info(found.at, "signature-imported", "", "x-whgen declares no signature, so %s counts: %s", found.name, scheme.summary())
	return scheme
}

// foreign is what the document says of the signatures that arrive at an
// endpoint; nil where it says nothing.
func (l *loader) foreign(s *scope) *foreignScheme {
	fern, speakeasy := l.fern(s), l.speakeasy()
	switch {
	case fern == nil:
		return speakeasy
	case speakeasy == nil:
		return fern
	case len(fern.faults)+len(speakeasy.faults) > 0:
		fern.faults = append(fern.faults, speakeasy.faults...)
	case !l.same(fern, speakeasy):
		fern.faults.err(speakeasy.at, "write signature: in x-whgen, which counts then", "%s and %s (%s) declare different signatures", speakeasy.name, fern.name, fern.at)
	}
	return fern
}

// err adds what cannot be taken over.
func (d *Diagnostics) err(at Pos, hint, format string, args ...any) {
	r := report{}
	r.err(at, "signature-import", hint, format, args...)
	*d = append(*d, r.found...)
}

// fern is what x-fern-webhook-signature says: an operation's own counts before
// that of the document, and the entries of one endpoint have to agree.
func (l *loader) fern(s *scope) *foreignScheme {
	k, n := lookupPair(l.tree.root, fernName)
	arriving, forms := l.arriving(s)
	read := func(k, n *yaml.Node) *foreignScheme {
		if n == nil || n.ShortTag() == "!!null" { // as an overlay takes it back
			return nil
		}
		return fernScheme(l.tree.valueOf(n, l.tree.pos(k)), forms)
	}
	if len(arriving) == 0 {
		return read(k, n)
	}
	var first *foreignScheme
	var unsigned []*entry
	for _, e := range arriving {
		own, faults := l.fernOf(e, read(k, n), read)
		if own == nil {
			unsigned = append(unsigned, e)
			continue
		}
		if own.faults = append(own.faults, faults...); first == nil {
			first = own
			continue
		}
		first.faults = append(first.faults, own.faults...)
		if len(first.faults) == 0 && !l.same(first, own) {
			first.faults.err(own.at, apart, "entry %q is signed otherwise than what %s at %s says, and both arrive at one endpoint", e.name, first.name, first.at)
		}
	}
	if first != nil {
		for _, e := range unsigned {
			first.faults.err(e.at, apart, "entry %q has no %s, but others at its endpoint have (%s)", e.name, first.name, first.at)
		}
	}
	return first
}

// arriving are the entries of an endpoint; forms reports whether every one of
// them, and at least one, is a form.
func (l *loader) arriving(s *scope) (all []*entry, forms bool) {
	forms = true
	for _, e := range l.entries {
		if l.arrives(e, s) {
			_, kind := e.takes()
			all, forms = append(all, e), forms && kind == FormBody
		}
	}
	return all, forms && len(all) > 0
}

const apart = "give them endpoints of their own, or write signature: in x-whgen, which counts then"

// fernOf is what counts for one entry: its own, or the document's, which true
// stands for. Fern takes false for true; somebody who wrote it meant something
// else, so it is not guessed at.
func (l *loader) fernOf(e *entry, root *foreignScheme, read func(k, n *yaml.Node) *foreignScheme) (*foreignScheme, Diagnostics) {
	var faults Diagnostics
	k, n := lookupPair(e.operation, fernName)
	if n == nil {
		if k, n := lookupPair(e.item, fernName); n != nil {
			at := l.tree.pos(k)
			faults.err(at, "move it to the operation or to the document's root, or write signature: in x-whgen", "%s means nothing on a path item", fernName)
			return &foreignScheme{name: fernName, at: at}, faults
		}
		return root, nil
	}
	v := l.tree.valueOf(n, l.tree.pos(k))
	switch {
	case v.form == nullForm, v.form == booleanForm && !isTrue(v) && root == nil:
		return root, nil
	case isTrue(v) && root != nil:
		return root, nil
	case isTrue(v):
		faults.err(v.at, "write it at the root of the document, or signature: in x-whgen", "%s: true stands for the one of the document, which has none", fernName)
	case v.form == booleanForm:
		faults.err(v.at, "leave it out, or write signature: in x-whgen", "%s: false does not say how entry %q is signed; Fern applies the document's all the same", fernName, e.name)
	default:
		return read(k, n), nil
	}
	return &foreignScheme{name: fernName, at: l.tree.pos(k)}, faults
}

// speakeasy is what x-speakeasy-webhooks at the document's root says.
func (l *loader) speakeasy() *foreignScheme {
	k, n := lookupPair(l.tree.root, speakeasyName)
	if n == nil || n.ShortTag() == "!!null" {
		return nil
	}
	return speakeasyScheme(l.tree.valueOf(n, l.tree.pos(k)), l.tree.pos(k))
}
