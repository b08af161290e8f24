package signature

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

var (
	strictBase64    = base64.StdEncoding.Strict()
	strictBase64URL = base64.RawURLEncoding.Strict()
)

// decodeInto reads a signature of exactly len(dst) bytes: hex in lower case
// (unless anyCase), base64 canonical and padded, base64url canonical and not
// padded.
func decodeInto(dst []byte, encoding string, anyCase bool, text string) bool {
	var buf [96]byte
	src := append(buf[:0], text...)
	switch encoding {
	case "hex":
		if len(src) != hex.EncodedLen(len(dst)) || !anyCase && upperHex(src) {
			return false
		}
		_, err := hex.Decode(dst, src)
		return err == nil
	case "base64":
		return decodeBase64(dst, strictBase64, src)
	case "base64url":
		return decodeBase64(dst, strictBase64URL, src)
	}
	return false
}

func decodeBase64(dst []byte, enc *base64.Encoding, src []byte) bool {
	// The decoder skips line ends, so the length decides first.
	if len(src) != enc.EncodedLen(len(dst)) {
		return false
	}
	for _, c := range src {
		if c == '\r' || c == '\n' {
			return false
		}
	}
	var buf [72]byte
	if enc.DecodedLen(len(src)) > len(buf) {
		return false
	}
	n, err := enc.Decode(buf[:], src)
	return err == nil && n == copy(dst, buf[:n]) && n == len(dst)
}

// decodeBytes reads a signature of any length, as strictly as decodeInto.
func decodeBytes(encoding string, anyCase bool, text string) ([]byte, bool) {
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	var out []byte
	var err error
	switch encoding {
	case "hex":
		if !anyCase && upperHex([]byte(text)) {
			return nil, false
		}
		out, err = hex.DecodeString(text)
	case "base64":
		out, err = strictBase64.DecodeString(text)
	case "base64url":
		out, err = strictBase64URL.DecodeString(text)
	default:
		return nil, false
	}
	return out, err == nil
}

func upperHex(text []byte) bool {
	for _, c := range text {
		if c >= 'A' && c <= 'F' {
			return true
		}
	}
	return false
}

func encode(encoding string, sum []byte) string {
	switch encoding {
	case "hex":
		return hex.EncodeToString(sum)
	case "base64":
		return base64.StdEncoding.EncodeToString(sum)
	default:
		return base64.RawURLEncoding.EncodeToString(sum)
	}
}

func printable(text string) bool { return !strings.ContainsAny(text, "\r\n\x00") }
