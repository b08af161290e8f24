package spec

import (
	"strconv"
	"strings"
	"unicode"
)

func itoa(n int) string { return strconv.Itoa(n) }

// camel makes a name of the form [a-z][A-Za-z0-9]* of any text; fallback where
// no letter of it can be used.
func camel(text, fallback string) string {
	words := strings.FieldsFunc(text, func(c rune) bool {
		return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	var b strings.Builder
	for _, word := range words {
		if strings.ToUpper(word) == word {
			word = strings.ToLower(word) // CAPTURE_FAILED is captureFailed
		}
		if b.Len() == 0 {
			if word = strings.TrimLeft(word, "0123456789"); word != "" {
				b.WriteString(strings.ToLower(word[:1]) + word[1:])
			}
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	if b.Len() == 0 {
		return fallback
	}
	return b.String()
}
