package spec

// importer reads an extension into a scheme.
type importer struct {
	*foreignScheme
}

const writeYourself = "write signature: in x-whgen yourself"

func newImporter(name string, at Pos) *importer {
	return &importer{&foreignScheme{name: name, at: at, scheme: &value{at: at, form: mapForm}}}
}

// fault notes what has no exact counterpart. path is inside of the extension.
func (i *importer) fault(at Pos, hint, format string, args ...any) {
	if hint == "" {
		hint = writeYourself
	}
	i.faults.err(at, hint, i.name+": "+format, args...)
}

// put sets a member of the scheme, or one of a member when two names are given.
func (i *importer) put(member *value, names ...string) {
	if len(names) == 1 {
		i.scheme = i.scheme.with(names[0], member)
		return
	}
	outer := i.scheme.get(names[0])
	if outer == nil {
		outer = &value{at: member.at, form: mapForm}
	}
	i.scheme = i.scheme.with(names[0], outer.with(names[1], member))
}

func literalAt(text string, at Pos) *value { return &value{at: at, form: textForm, text: text} }

// isMap refuses everything else.
func (i *importer) isMap(v *value, path string) bool {
	if v.is(mapForm) {
		return true
	}
	i.fault(v.at, "", "%q: want a map, got %s", path, v.form)
	return false
}

// members refuses names that are not known.
func (i *importer) members(v *value, path string, known ...string) {
	for _, f := range v.fieldsOf() {
		if !contains(known, f.name) {
			hint := didYouMean(f.name, known)
			if hint == "" {
				hint = writeYourself
			}
			i.fault(f.at, hint, "%q is not understood", join(path, f.name))
		}
	}
}

// text is a member that has to be a text with something in it; nil without one.
func (i *importer) text(v *value, path string) *value {
	switch {
	case v == nil:
		return nil
	case !v.is(textForm):
		i.fault(v.at, "", "%q: want text, got %s", path, v.form)
		return nil
	case v.text == "":
		i.fault(v.at, "", "%q is empty", path)
		return nil
	}
	return v
}

// word translates a member by a table; otherwise stands where it is left out.
func (i *importer) word(v *value, path string, words map[string]string, otherwise string, at Pos) *value {
	if v == nil {
		return literalAt(otherwise, at)
	}
	word, ok := words[textOf(v)]
	if !ok {
		known := sortedKeys(words)
		i.fault(v.at, "it can be "+list(known, "or")+"; else "+writeYourself, "%q: %s has no exact counterpart", path, v.jsonText())
		return literalAt(otherwise, v.at)
	}
	return literalAt(word, v.at)
}

// from reads the header of the signature.
func (i *importer) from(header *value, path string) {
	if header = i.text(header, path); header != nil {
		i.put(literalAt("header:"+header.text, header.at), "from")
	}
}
