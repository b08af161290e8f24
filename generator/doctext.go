package generator

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// docWidth keeps comments inside what people read.
const docWidth = 88

// docLines makes lines of a comment of texts of the contract: one paragraph
// each, wrapped, without anything that could end the comment, be taken for a
// directive, or hide what stands there.
func docLines(paragraphs ...string) []string {
	var lines []string
	for _, p := range paragraphs {
		p = strings.ToValidUTF8(p, "\uFFFD")
		p = strings.ReplaceAll(strings.ReplaceAll(p, "\r\n", "\n"), "\r", "\n")
		for _, block := range strings.Split(p, "\n\n") {
			wrapped := wrap(block)
			if len(wrapped) == 0 {
				continue
			}
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, wrapped...)
		}
	}
	return lines
}

func wrap(block string) []string {
	var lines []string
	line := ""
	for _, word := range strings.FieldsFunc(block, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		word = printable(word)
		switch {
		case word == "":
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > docWidth:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// printable drops marks that change the order or the look of the text around
// them, such as the bidirectional ones.
func printable(word string) string {
	word = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) {
			return r
		}
		return -1
	}, word)
	return strings.ReplaceAll(word, "*/", "* /")
}

// sentence ends a text with a full stop, so that others can follow.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsRune(".!?:", rune(text[len(text)-1])) {
		return text
	}
	return text + "."
}
