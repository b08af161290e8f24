package spec

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	settingName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	sourceName  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	eventName   = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	days        = regexp.MustCompile(`^(\d+)d(.*)$`)
)

// textOf is the text of a scalar; "" for anything else, which the vocabulary
// check has reported.
func textOf(v *value) string {
	if v.is(scalarForms) {
		return v.text
	}
	return ""
}

func isTrue(v *value) bool { return v.is(booleanForm) && strings.EqualFold(v.text, "true") }

// parseDuration reads Go durations with a leading number of days.
func parseDuration(text string) (time.Duration, bool) {
	total := time.Duration(0)
	if m := days.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > 36500 {
			return 0, false
		}
		total = time.Duration(n) * 24 * time.Hour
		if text = m[2]; text == "" {
			return total, true
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || text == "0" {
		return 0, false
	}
	return total + d, true
}

// duration reads a positive duration; ok is false where there is none or a finding.
func (r *report) duration(v *value, name string) (time.Duration, bool) {
	if !v.is(textForm | numberForm) {
		return 0, false
	}
	d, ok := parseDuration(v.text)
	switch {
	case v.form == numberForm:
		r.err(v.at, "duration", "write "+v.text+"s for seconds", "%q: %s has no unit", name, v.text)
	case !ok:
		r.err(v.at, "duration", "write it as 300s, 1h30m or 7d", "%q: %q is no duration", name, v.text)
	case d == 0:
		r.err(v.at, "duration", "", "%q: want more than zero", name)
	default:
		return d, true
	}
	return 0, false
}

var size = regexp.MustCompile(`^(\d+)(B|KiB|MiB|GiB)$`)

// size reads a number of bytes.
func (r *report) size(v *value, name string) (int64, bool) {
	if !v.is(textForm | numberForm) {
		return 0, false
	}
	m := size.FindStringSubmatch(v.text)
	if m == nil || len(m[1]) > 9 {
		r.err(v.at, "size", "write it as 512KiB or 1MiB", "%q: %q is no size", name, v.text)
		return 0, false
	}
	n, _ := strconv.ParseInt(m[1], 10, 64)
	n *= map[string]int64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[m[2]]
	if n == 0 || n > 1<<31 {
		r.err(v.at, "size", "", "%q: want 1B to 2GiB", name)
		return 0, false
	}
	return n, true
}

// whole reads an integer of at least least.
func (r *report) whole(v *value, name string, least int) (int, bool) {
	if !v.is(numberForm) {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	if err != nil || n < least {
		r.err(v.at, "wrong-type", "", "%q: want a whole number from %d, got %s", name, least, v.text)
		return 0, false
	}
	return n, true
}

// word reads one of several words. later are those that this version does not
// generate.
func (r *report) word(v *value, name string, known, later []string) string {
	if !v.is(scalarForms) {
		return ""
	}
	switch {
	case contains(known, v.text):
		return v.text
	case contains(later, v.text):
		r.later(v.at, "%q: %s", name, v.text)
	default:
		all := append(append([]string{}, known...), later...)
		hint := didYouMean(v.text, all)
		if hint == "" {
			hint = "write " + list(all, "or")
		}
		r.err(v.at, "unknown-value", hint, "%q: %q is not known", name, v.text)
	}
	return ""
}

var statusPattern = regexp.MustCompile(`^([1-5])[xX]{2}$`)

// parseStatus reads 200, "204" or 2xx.
func parseStatus(text string) (StatusRange, bool) {
	if m := statusPattern.FindStringSubmatch(text); m != nil {
		from := int(m[1][0]-'0') * 100
		return StatusRange{from, from + 99}, true
	}
	n, err := strconv.Atoi(text)
	return StatusRange{n, n}, err == nil && n >= 100 && n <= 599
}

func (r *report) statuses(v *value, name string) []StatusRange {
	var all []StatusRange
	for _, item := range v.each() {
		if !item.is(textForm | numberForm) {
			continue
		}
		s, ok := parseStatus(item.text)
		if !ok {
			r.err(item.at, "status", "write a status such as 200, or 2xx", "%q: %q is no status", name, item.text)
			continue
		}
		all = append(all, s)
	}
	return all
}

func inRanges(all []StatusRange, status int) bool {
	for _, s := range all {
		if status >= s.From && status <= s.To {
			return true
		}
	}
	return false
}

// setting checks the name of a setting. A value in its place may be a secret,
// so it is never shown.
func (r *report) setting(v *value, what string) (string, bool) {
	if !v.is(textForm) {
		return "", false
	}
	if !settingName.MatchString(v.text) {
		r.err(v.at, "secret-value", "write the name of a setting such as SHOP_WEBHOOK_SECRET, and the value into the environment",
			"%s: this is no name of a setting (A-Z, 0-9, _); a value has no place in a contract", what)
		return "", false
	}
	return v.text, true
}
