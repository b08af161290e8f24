package storage

import (
	"errors"
	"strings"
)

// ErrControl is for a handler that wants to end the transaction that it works
// in, or to begin another one in its place: the event would be acknowledged and
// nothing of it kept.
var ErrControl = errors.New("the receiver begins, commits and rolls back this transaction: return nil or an error, or use a savepoint")

// Controls reports whether one of the statements of an SQL text begins or ends a
// transaction. Savepoints do not. What comes behind CREATE is not looked at: the
// bodies of functions and triggers have words of their own.
func Controls(text string) bool {
	for {
		text = afterBlanks(text)
		if text == "" {
			return false
		}
		word, rest := nextWord(text)
		switch word {
		case "BEGIN", "START", "COMMIT", "END", "ABORT":
			return true
		case "ROLLBACK", "PREPARE":
			second, after := nextWord(afterBlanks(rest))
			if word == "ROLLBACK" && (second == "TRANSACTION" || second == "WORK") {
				second, _ = nextWord(afterBlanks(after))
			}
			if word == "ROLLBACK" && second != "TO" || word == "PREPARE" && second == "TRANSACTION" {
				return true
			}
		case "CREATE":
			return false
		}
		text = afterStatement(text)
	}
}

func nextWord(text string) (word, rest string) {
	end := 0
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return strings.ToUpper(text[:end]), text[end:]
}

// afterBlanks skips white space, comments and empty statements.
func afterBlanks(text string) string {
	for text != "" {
		switch {
		case strings.HasPrefix(text, "--"):
			text = behind(text[2:], "\n")
		case strings.HasPrefix(text, "/*"):
			text = behindComment(text)
		case strings.ContainsRune(" \t\r\n\f\v;\ufeff", rune(text[0])):
			text = text[1:]
		default:
			return text
		}
	}
	return ""
}

// afterStatement skips to what follows the next semicolon outside of quotes.
func afterStatement(text string) string {
	for text != "" {
		switch c := text[0]; {
		case c == ';':
			return text[1:]
		case c == '\'' || c == '"' || c == '`':
			text = behind(text[1:], text[:1]) // a doubled quote begins another text: the same end
		case c == '[' && bracketed(text):
			text = behind(text, "]")
		case strings.HasPrefix(text, "--"):
			text = behind(text[2:], "\n")
		case strings.HasPrefix(text, "/*"):
			text = behindComment(text)
		case c == '$' && dollarTag(text) != "":
			tag := dollarTag(text)
			text = behind(text[len(tag):], tag)
		default:
			text = text[1:]
		}
	}
	return ""
}

// behind is what follows an end; nothing where it does not come.
func behind(text, end string) string {
	if i := strings.Index(text, end); i >= 0 {
		return text[i+len(end):]
	}
	return ""
}

// behindComment skips a comment; PostgreSQL's nest.
func behindComment(text string) string {
	depth := 0
	for text != "" {
		switch {
		case strings.HasPrefix(text, "/*"):
			depth, text = depth+1, text[2:]
		case strings.HasPrefix(text, "*/"):
			text = text[2:]
			if depth--; depth == 0 {
				return text
			}
		default:
			text = text[1:]
		}
	}
	return ""
}

// bracketed reports whether a name in SQLite's brackets begins here, and not an
// array's index.
func bracketed(text string) bool {
	return len(text) > 1 && (text[1]|0x20 >= 'a' && text[1]|0x20 <= 'z')
}

// dollarTag is the opening quote of PostgreSQL's $tag$...$tag$; "" for a parameter.
func dollarTag(text string) string {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$':
			return text[:i+1]
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || i > 1 && c >= '0' && c <= '9':
		default:
			return ""
		}
	}
	return ""
}
