package signature

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"
	"unicode"
	"unicode/utf8"
)

const byteOrderMark = "\uFEFF"

// checkText refuses texts that can only be mistakes of configuration: each of
// them would refuse every delivery without a hint.
func checkText(text string) error {
	switch {
	case text == "":
		return errors.New("is empty")
	case strings.HasPrefix(text, byteOrderMark):
		return errors.New("starts with a byte order mark")
	case strings.TrimSpace(text) == "":
		return errors.New("is empty but for white space")
	case text != strings.TrimFunc(text, func(c rune) bool { return unicode.IsSpace(c) || c == 0 }):
		return errors.New("has outer white space")
	}
	return nil
}

// Doubts says what looks like a mistake in a secret's text but may be meant.
// The text itself is not in it.
func Doubts(text string) []string {
	var doubts []string
	first, last := text[:min(1, len(text))], text[max(0, len(text)-1):]
	if len(text) > 1 && first == last && strings.Contains("\"'`", first) {
		doubts = append(doubts, "has quotes around it, which are taken as part of it")
	}
	if strings.ContainsFunc(text, unicode.IsSpace) {
		doubts = append(doubts, "has white space in it, which is taken as part of it")
	}
	if strings.ContainsFunc(text, unicode.IsControl) && utf8.ValidString(text) && !strings.ContainsAny(text, "\t\r\n") {
		doubts = append(doubts, "has control characters in it")
	}
	return doubts
}

// keyBytes turns a secret's text into key bytes.
func keyBytes(d Decoding, text string) ([]byte, error) {
	text = strings.TrimPrefix(text, d.StripPrefix)
	if text == "" {
		return nil, fmt.Errorf("is nothing but the prefix %s", d.StripPrefix)
	}
	key, err := decodeKey(d.Encoding, text)
	if err != nil {
		return nil, err
	}
	if len(key) == 0 {
		return nil, errors.New("decodes to nothing")
	}
	if d.PreHash == "" {
		return key, nil
	}
	h, err := newHash(d.PreHash)
	if err != nil {
		return nil, err
	}
	digest := h()
	digest.Write(key)
	return digest.Sum(nil), nil
}

func decodeKey(encoding, text string) ([]byte, error) {
	switch encoding {
	case "", "utf8":
		return []byte(text), nil
	case "hex":
		key, err := hex.DecodeString(text)
		if err != nil {
			return nil, errors.New("is not hex")
		}
		return key, nil
	case "base64": // bits beyond the last byte are the sender's business, as for its own libraries
		key, err := base64.StdEncoding.DecodeString(text)
		if err != nil || strings.ContainsAny(text, "\r\n") {
			return nil, errors.New("is not base64")
		}
		return key, nil
	default:
		return nil, fmt.Errorf("encoding %q of a secret is not supported", encoding)
	}
}

func newHash(name string) (func() hash.Hash, error) {
	switch name {
	case "", "sha256":
		return sha256.New, nil
	case "sha1":
		return sha1.New, nil
	case "sha384":
		return sha512.New384, nil
	case "sha512":
		return sha512.New, nil
	case "md5":
		return md5.New, nil
	default:
		return nil, fmt.Errorf("hash %q is not supported", name)
	}
}
