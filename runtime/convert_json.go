package runtime

import (
	"errors"
	"strings"
)

// maxJSONDepth is what every engine's JSON type takes.
const maxJSONDepth = 500

func convertJSON(v value) (Datum, error) {
	raw := v.appendJSON(nil)
	if err := storableJSON(raw); err != nil {
		return Datum{}, err
	}
	return Datum{Text: string(raw)}, nil
}

// storableJSON refuses what is JSON but no engine's column can hold, so that
// all of them judge alike: an escaped NUL, numbers beyond numeric, deep nesting.
func storableJSON(raw []byte) error {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			end, nul := stringEnd(raw, i)
			if nul {
				return errors.New("has a NUL in it")
			}
			i = end
		case c == '{' || c == '[':
			if depth++; depth > maxJSONDepth {
				return errors.New("is nested deeper than a column can hold")
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			end := numberEnd(raw, i)
			if !moderate(string(raw[i:end])) {
				return errors.New("has a number of more digits than a column can hold")
			}
			i = end - 1
		}
	}
	return nil
}

// stringEnd gives the index of the closing quote of the valid JSON string at i,
// and whether the string holds an escaped NUL.
func stringEnd(raw []byte, i int) (end int, nul bool) {
	for i++; raw[i] != '"'; i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] == 'u' && string(raw[i+1:i+5]) == "0000" {
			nul = true
		}
	}
	return i, nul
}

func numberEnd(raw []byte, i int) int {
	for i < len(raw) && strings.IndexByte("+-.0123456789eE", raw[i]) >= 0 {
		i++
	}
	return i
}
