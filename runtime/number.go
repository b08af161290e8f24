package runtime

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxExponent and maxDigits bound decimals to what every engine's numeric type
// takes. Nobody means more.
const (
	maxExponent = 999
	maxDigits   = 1000
)

// decimal takes a number apart: sign, digits without leading and trailing
// zeros, and the power of ten of the last digit. Numbers are equal where these
// are, whatever their notation.
func decimal(text string) (negative bool, digits string, exponent int, ok bool) {
	text, negative = strings.CutPrefix(text, "-")
	mantissa, power := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
		n, err := strconv.Atoi(power)
		if err != nil {
			return false, "", 0, false
		}
		exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return false, "", 0, false
	}
	exponent -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	digits = strings.TrimLeft(trimmed, "0")
	if digits == "" {
		return false, "0", 0, true
	}
	return negative, digits, exponent, true
}

// comparable gives JSON values a form in which equal ones are equal bytes:
// canonical order and strings, numbers by value.
func comparableJSON(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return `"` + unquote(v)
	case '0':
		negative, digits, exponent, ok := decimal(string(v))
		if !ok {
			return string(v)
		}
		return strconv.FormatBool(negative) + digits + "e" + strconv.Itoa(exponent)
	case '{', '[':
		if c, err := canonicalize(v); err == nil {
			return string(c)
		}
	}
	return string(v)
}
