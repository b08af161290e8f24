package spec

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// quoteJSON is a JSON string that YAML reads as the same text too: what YAML
// breaks lines on or refuses is escaped.
func quoteJSON(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x20 || c >= 0x7f && c <= 0x9f || c == 0x2028 || c == 0x2029 || c >= 0xfff0 && c < 0x10000 || c == 0xfeff:
			b.WriteString(`\u`)
			b.WriteString(strconv.FormatInt(int64(0x10000+c), 16)[1:])
		case c == utf8.RuneError:
			b.WriteRune('\ufffd')
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// scalarJSON is a YAML scalar as JSON; a number keeps its digits.
func scalarJSON(f form, text string) string {
	switch f {
	case nullForm:
		return "null"
	case booleanForm:
		return strings.ToLower(text)
	case numberForm:
		if number, ok := numberJSON(text); ok {
			return number
		}
	}
	return quoteJSON(text)
}

// numberJSON writes a YAML number as JSON reads it: 0x10 as 16, +1 as 1.
// Infinities and NaN have no JSON form.
func numberJSON(text string) (string, bool) {
	if json.Valid([]byte(text)) {
		return text, true
	}
	plain := strings.ReplaceAll(text, "_", "")
	if i, ok := new(big.Int).SetString(strings.TrimPrefix(plain, "+"), 0); ok {
		return i.String(), true
	}
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return "", false
	}
	return strconv.FormatFloat(x, 'g', -1, 64), true
}

// nodeJSON is a whole node as compact JSON.
func nodeJSON(n *yaml.Node) string {
	var b strings.Builder
	writeNodeJSON(&b, n)
	return b.String()
}

func writeNodeJSON(b *strings.Builder, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteJSON(n.Content[i].Value))
			b.WriteByte(':')
			writeNodeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			writeNodeJSON(b, item)
		}
		b.WriteByte(']')
	default:
		b.WriteString(scalarJSON(scalarForm(n), n.Value))
	}
}
