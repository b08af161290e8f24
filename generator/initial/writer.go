package initial

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// writer puts YAML together line by line, and keeps count of its questions.
type writer struct {
	out       strings.Builder
	questions []string
	open      bool // the last line is a question's
}

func (w *writer) line(indent int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(&w.out, "%s%s\n", strings.Repeat(" ", indent), text)
	w.open = false
}

// question writes a question and the lines that would answer it. Its text is
// broken at blanks.
func (w *writer) question(indent int, text string, proposal ...string) {
	w.questions = append(w.questions, text)
	if w.open {
		w.line(0, "") // the one before has no proposal
	}
	for _, line := range wrap(text, 100-indent) {
		w.line(indent, "# ? %s", line)
	}
	for _, line := range proposal {
		w.line(indent, "# %s", line)
	}
	w.open = len(proposal) == 0
}

func wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > columns {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

var plainYAML = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./*-]*(:[A-Za-z][A-Za-z0-9_-]*)?$`)

// words that YAML 1.1 reads as something else than a text.
var notText = map[string]bool{"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "null": true, "y": true, "n": true}

// scalar writes a text as YAML, in flow collections too.
func yamlText(text string) string {
	if plainYAML.MatchString(text) && !notText[strings.ToLower(text)] {
		return text
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// list writes one text bare and several as a flow sequence.
func yamlList(all []string) string {
	if len(all) == 1 {
		return yamlText(all[0])
	}
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = yamlText(one)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// comment keeps a text of the document on one line.
func comment(text string) string { return strings.Join(strings.Fields(text), " ") }
