package spec

// Generated reports whether this version generates what a key of x-whgen asks
// for, such as Generated("event", "items").
func Generated(names ...string) bool {
	k := &key{keys: rootKeys}
	for _, name := range names {
		if k = k.under(name); k == nil || k.later {
			return false
		}
	}
	return true
}

// Covers reports whether a value cannot be changed without breaking the
// signature. Nothing is covered where there is no scheme.
func (s *Scheme) Covers(v Selector) bool { return s != nil && s.covers(v) }

// Fresh reports whether a request stops being valid by its age: whether a time
// that is signed is held against the clock, by every member of any.
func (s *Scheme) Fresh() bool {
	switch {
	case s == nil:
		return false
	case len(s.Any) > 0:
		for _, m := range s.Any {
			if !m.Fresh() {
				return false
			}
		}
		return true
	case len(s.All) > 0:
		for _, m := range s.All {
			if m.Fresh() {
				return true
			}
		}
		return false
	case s.Type == "jwt":
		return s.Claims.MaxAge != nil || s.Claims.Expires
	}
	return s.Timestamp.Checked() && !s.Timestamp.NoTolerance && s.covers(s.Timestamp.From)
}
