package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// maxKey is the length of an encoded event key, its scope included, in bytes.
const maxKey = 512

// maxIdempotencyKey is what the outside can be expected to take.
const maxIdempotencyKey = 255

// eventKey encodes the parts of a key, endpoint and tenant first, so that no two different lists meet: parts are joined by "|",
// "|" and "\" inside of them escaped by "\", an absent optional part is "\-".
func (rq *request) eventKey(parts []selector) (string, *problem) {
	var buf [128]byte
	key := rq.scope(buf[:0])
	for i := range parts {
		if i > 0 {
			key = append(key, '|')
		}
		text, ok, err := rq.keyPart(&parts[i])
		if err != nil {
			return "", err
		}
		if !ok {
			key = append(key, `\-`...)
			continue
		}
		key = appendEscaped(key, text)
	}
	if len(key) > maxKey {
		return "", malformed("the event key has %d bytes, and %d are allowed", len(key), maxKey)
	}
	return string(key), nil
}

// scope is what comes before the parts of a key: the endpoint, unless keys are
// the source's, and the tenant, whose events are never another's.
func (rq *request) scope(dst []byte) []byte {
	if rq.endpoint.scoped {
		dst = append(appendEscaped(dst, rq.endpoint.Name), '|')
	}
	if rq.tenant != "" {
		dst = append(append(dst, rq.tenant...), '|')
	}
	return dst
}

func (rq *request) keyPart(s *selector) (text string, ok bool, err *problem) {
	v, err := rq.read(s)
	name := selectorText(s.Selector)
	switch {
	case err != nil:
		return "", false, err
	case !v.ok && s.Optional:
		return "", false, nil
	case !v.ok:
		return "", false, malformed("the event key is missing: %s", name)
	case v.json != nil && !scalarKey(v.json):
		return "", false, malformed("the event key is no text, integer or boolean: %s", name)
	}
	text = v.plain()
	switch {
	case text == "" && !s.Optional:
		return "", false, malformed("the event key is empty: %s", name)
	case strings.IndexByte(text, 0) >= 0:
		return "", false, malformed("the event key has a NUL in it: %s", name)
	}
	return text, true, nil
}

// scalarKey reports whether a JSON value can be part of a key: texts, booleans,
// integers by their text. 1.0 and 1e0 cannot: their text is not one.
func scalarKey(raw []byte) bool {
	switch raw[0] {
	case '"', 't', 'f':
		return true
	case '{', '[':
		return false
	}
	for _, c := range raw {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

func appendEscaped(dst []byte, text string) []byte {
	for i := range len(text) {
		if text[i] == '|' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return dst
}

// IdempotencyKey is the key under which the outside gets to know one message:
// a function of source, event key, effect and element only, so the same at
// every attempt, on every node, for ever. It has at most 255 characters of
// A-Z a-z 0-9 . _ : -, whatever the event key holds: keys with others in them,
// or too long, go in as their SHA-256, behind an empty part so that no two
// events meet.
func IdempotencyKey(source, effect, key, element string) string {
	tail := ""
	if element != "" {
		tail = ":" + element
	}
	plain := source + ":" + effect + ":" + key + tail
	if len(plain) <= maxIdempotencyKey && tame(key) {
		return plain
	}
	sum := sha256.Sum256([]byte(key))
	return source + ":" + effect + "::" + hex.EncodeToString(sum[:]) + tail
}

func tame(key string) bool {
	if key == "" {
		return false
	}
	for i := range len(key) {
		c := key[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// LockKey is the advisory lock of an event key in a table.
func LockKey(table, key string) int64 {
	var buf [640]byte
	text := append(append(append(buf[:0], table...), 0), key...)
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
