package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// goName makes an exported Go name of a word of the contract: order.paid,
// order_paid and orderPaid are OrderPaid, id is ID, +1 is Plus1.
func goName(wire string) string {
	var b strings.Builder
	words := splitWords(wire)
	shouting := strings.ToUpper(wire) == wire && len(words) > 1
	for _, w := range words {
		b.WriteString(title(w, shouting))
	}
	name := b.String()
	if name == "" {
		return symbolName(wire)
	}
	switch first := []rune(name)[0]; {
	case unicode.IsDigit(first):
		return signWord(wire) + name
	case !unicode.IsUpper(first):
		return "X" + name // a script without capitals: Go would not export it
	}
	return name
}

// signWord tells +1 from -1 and from 1.
func signWord(wire string) string {
	switch wire[0] {
	case '+':
		return "Plus"
	case '-':
		return "Minus"
	}
	return "N"
}

var symbols = map[rune]string{
	'$': "Dollar", '@': "At", '#': "Hash", '*': "Star", '+': "Plus", '-': "Minus",
	'_': "Underscore", '.': "Dot", '/': "Slash", '%': "Percent", '&': "And", ' ': "Blank",
}

func symbolName(wire string) string {
	if wire == "" {
		return "Empty"
	}
	var b strings.Builder
	for _, r := range wire {
		if s, ok := symbols[r]; ok {
			b.WriteString(s)
			continue
		}
		fmt.Fprintf(&b, "U%04X", r)
	}
	return b.String()
}

// splitWords cuts at everything that is no letter or digit, and where small
// letters meet capitals: HTTPServer is HTTP, Server.
func splitWords(s string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	runes := []rune(s)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if len(word) > 0 && unicode.IsUpper(r) {
			last := word[len(word)-1]
			next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(last) || next {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return words
}

var initialisms = map[string]bool{
	"API": true, "CPU": true, "DNS": true, "EOF": true, "HTML": true, "HTTP": true, "HTTPS": true,
	"ID": true, "IP": true, "JSON": true, "JWT": true, "SKU": true, "SMS": true, "SQL": true, "SSH": true,
	"TLS": true, "TTL": true, "UI": true, "UID": true, "URI": true, "URL": true, "UTF8": true, "UUID": true,
	"VAT": true, "XML": true,
}

func title(word string, shouting bool) string {
	upper := strings.ToUpper(word)
	if initialisms[upper] {
		return upper
	}
	if shouting {
		word = strings.ToLower(word)
	}
	runes := []rune(word)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// snake makes an SQL or file name of a word of the contract: crmDeal is crm_deal.
func snake(wire string) string {
	words := splitWords(wire)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return strings.Join(words, "_")
}

// hash4 tells apart what would have one name; it follows from the word itself,
// so that a name stays when others come and go.
func hash4(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return strings.ToUpper(hex.EncodeToString(sum[:2]))
}

// lowerFirst makes an unexported name of an exported one.
func lowerFirst(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToLower(runes[0])
	return string(runes)
}
