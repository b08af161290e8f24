package evolution

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word, name, text or sign of SQL.
type token struct {
	text  string // as written
	word  string // lower case, of a bare word only
	start int    // byte offset
	end   int
	lead  int // where the comment above it begins, else start
}

// name is the identifier that a token stands for: bare ones in lower case.
func (t token) name() string {
	if t.word != "" {
		return t.word
	}
	if len(t.text) >= 2 && strings.ContainsRune("\"`[", rune(t.text[0])) {
		inner := t.text[1 : len(t.text)-1]
		return strings.ReplaceAll(inner, `""`, `"`)
	}
	return ""
}

func (t token) is(words ...string) bool {
	for _, w := range words {
		if t.word == w || t.word == "" && t.text == w {
			return true
		}
	}
	return false
}

// tokens splits SQL of PostgreSQL or SQLite. What is cut off at the end of the
// text ends there.
func tokens(sql string) []token {
	var all []token
	lead := -1
	for at := 0; at < len(sql); {
		r, width := utf8.DecodeRuneInString(sql[at:])
		if unicode.IsSpace(r) {
			at += width
			continue
		}
		end, comment := scan(sql, at)
		if comment {
			if lead < 0 {
				lead = at
			}
			at = end
			continue
		}
		t := token{text: sql[at:end], start: at, end: end, lead: at}
		if lead >= 0 {
			t.lead = lead
		}
		lead = -1
		if isWord(r) {
			t.word = strings.ToLower(t.text)
		}
		all = append(all, t)
		at = end
	}
	return all
}

// scan finds where the token or comment at a place ends.
func scan(sql string, at int) (end int, comment bool) {
	rest := sql[at:]
	r, width := utf8.DecodeRuneInString(rest)
	switch {
	case strings.HasPrefix(rest, "--"):
		return at + upTo(rest, "\n", 0), true
	case strings.HasPrefix(rest, "/*"):
		return at + upTo(rest, "*/", 2), true
	case r == '\'' || r == '"' || r == '`':
		return at + quoted(rest, byte(r)), false
	case r == '[':
		return at + upTo(rest, "]", 1), false
	case r == '$':
		if tag := dollarTag(rest); tag != "" {
			return at + upTo(rest, tag, len(tag)), false
		}
	case isWord(r):
		for _, c := range rest[width:] {
			if !isWord(c) && c != '$' {
				break
			}
			width += utf8.RuneLen(c)
		}
	}
	return at + width, false
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// upTo is the length of a text with the next mark that stands after skip bytes.
func upTo(text, mark string, skip int) int {
	i := strings.Index(text[skip:], mark)
	if i < 0 {
		return len(text)
	}
	return skip + i + len(mark)
}

// quoted is the length of a quoted text; a doubled quote is part of it.
func quoted(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

// dollarTag is $$ or $name$ at the beginning of a text.
func dollarTag(text string) string {
	for i, r := range text[1:] {
		if r == '$' {
			return text[:i+2]
		}
		if !isWord(r) {
			break
		}
	}
	return ""
}

// statements are the tokens between semicolons of the part of a goose migration
// that goes up.
func statements(sql string) [][]token {
	var all [][]token
	var one []token
	for _, t := range tokens(upPart(sql)) {
		if t.text != ";" {
			one = append(one, t)
			continue
		}
		if len(one) > 0 {
			all = append(all, one)
		}
		one = nil
	}
	if len(one) > 0 {
		all = append(all, one)
	}
	return all
}

// upPart blanks what is not between "-- +goose Up" and "-- +goose Down", and
// goose's own lines. Offsets stay.
func upPart(sql string) string {
	var b strings.Builder
	up := !strings.Contains(strings.ToLower(sql), "+goose up")
	for line := range strings.Lines(sql) {
		said, note := strings.CutPrefix(strings.ToLower(strings.TrimSpace(line)), "--")
		said, note2 := strings.CutPrefix(strings.TrimSpace(said), "+goose ")
		switch {
		case note && note2:
			switch strings.TrimSpace(said) {
			case "up":
				up = true
			case "down":
				up = false
			}
			b.WriteString(strings.Repeat(" ", len(line)-1) + "\n")
		case up:
			b.WriteString(line)
		default:
			b.WriteString(strings.Repeat(" ", len(line)-1) + "\n")
		}
	}
	return b.String()
}
