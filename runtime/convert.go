package runtime

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// record is a compiled Record.
type record struct {
	*Record
	when    []condition
	columns []column
}

type column struct {
	*Column
	from selector
	text text
}

func (c *compiler) records(list []Record) ([]record, error) {
	var out []record
	for i := range list {
		r := record{Record: &list[i]}
		var err error
		if r.when, err = c.conditions(r.When); err != nil {
			return nil, fmt.Errorf("effect %s: %w", r.Effect, err)
		}
		for j := range r.Columns {
			col := column{Column: &r.Columns[j]}
			if col.Text != nil {
				col.text, err = c.text(col.Text)
			} else {
				col.from, err = c.selector(col.From)
			}
			if err != nil {
				return nil, fmt.Errorf("effect %s, column %s: %w", r.Effect, col.Name, err)
			}
			r.columns = append(r.columns, col)
		}
		out = append(out, r)
	}
	return out, nil
}

// rows reads every record effect of the event. What is missing is malformed;
// what no column of its type can hold, on any engine, is rejected.
func (rq *request) rows(list []record) ([]RecordRow, *problem) {
	rows := make([]RecordRow, len(list))
	total := 0
	for i := range list {
		total += len(list[i].columns)
	}
	data := make([]Datum, total)
	for i := range list {
		r := &list[i]
		rows[i].Columns, data = data[:len(r.columns):len(r.columns)], data[len(r.columns):]
		on, err := rq.holds(r.when)
		if err != nil {
			return nil, err
		}
		if !on {
			continue
		}
		rows[i].On = true
		for j := range r.columns {
			if rows[i].Columns[j], err = rq.datum(&r.columns[j]); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

var errWrongType = errors.New("is of another type")

func (rq *request) datum(c *column) (Datum, *problem) {
	if c.Text != nil {
		t, err := rq.render(c.text)
		if err != nil {
			return Datum{}, err
		}
		return c.finish(value{ok: true, text: t}, "its text")
	}
	v, err := rq.need(&c.from)
	if err != nil || !v.ok {
		return Datum{}, err
	}
	return c.finish(v, selectorText(c.from.Selector))
}

func (c *column) finish(v value, place string) (Datum, *problem) {
	d, err := convert(v, c.Type, c.Format)
	if err != nil {
		return Datum{}, rejected("column %s: %s %s", c.Name, place, err)
	}
	d.Valid = true
	return d, nil
}

// convert turns a value into what its column holds. It is strict where a
// conversion would lose something.
func convert(v value, t ColumnType, f TimeFormat) (Datum, error) {
	switch t {
	case TextColumn:
		return convertText(v)
	case IntegerColumn:
		return convertInteger(v)
	case NumericColumn:
		return convertNumeric(v)
	case BooleanColumn:
		return convertBoolean(v)
	case TimestampColumn:
		return convertTimestamp(v, f)
	case DateColumn:
		return convertDate(v)
	case JSONColumn:
		return convertJSON(v)
	case BytesColumn:
		return convertBytes(v)
	default:
		return Datum{}, fmt.Errorf("has a column type that is not known: %d", t)
	}
}

func convertText(v value) (Datum, error) {
	if v.composite() {
		return Datum{}, errWrongType
	}
	text := v.plain()
	if strings.IndexByte(text, 0) >= 0 {
		return Datum{}, errors.New("has a NUL in it")
	}
	return Datum{Text: text}, nil
}

// number gives the text of a number: a JSON number, or a text that is one.
func number(v value) (string, error) {
	if v.json != nil && v.json[0] != '"' && v.json.Kind() != '0' {
		return "", errWrongType
	}
	text := v.plain()
	if !jsontext.Value(text).IsValid() || jsontext.Value(text).Kind() != '0' || strings.TrimSpace(text) != text {
		return "", errors.New("is no number")
	}
	return text, nil
}

func convertInteger(v value) (Datum, error) {
	text, err := number(v)
	if err != nil {
		return Datum{}, err
	}
	n, err := integer(text)
	return Datum{Int: n}, err
}

// integer reads a whole number of 64 bits, also where it is written 1.0 or 1e2.
func integer(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return n, nil
	}
	negative, digits, exponent, ok := decimal(text)
	switch {
	case !ok || exponent > 18:
		return 0, errors.New("is out of the range of 64 bits")
	case exponent < 0:
		return 0, errors.New("is no whole number")
	}
	digits += strings.Repeat("0", exponent)
	if negative {
		digits = "-" + digits
	}
	if n, err = strconv.ParseInt(digits, 10, 64); err != nil {
		return 0, errors.New("is out of the range of 64 bits")
	}
	return n, nil
}

func convertNumeric(v value) (Datum, error) {
	text, err := number(v)
	if err != nil {
		return Datum{}, err
	}
	if !moderate(text) {
		return Datum{}, errors.New("is a number of more digits than a column can hold")
	}
	return Datum{Text: text}, nil
}

// moderate reports whether every engine's numeric type can hold a number.
func moderate(text string) bool {
	_, digits, exponent, ok := decimal(text)
	return ok && len(text) <= maxDigits && len(digits) <= maxDigits &&
		math.Abs(float64(exponent)) <= maxExponent
}

func convertBoolean(v value) (Datum, error) {
	if v.json != nil && v.json.Kind() == '"' {
		return Datum{}, errWrongType
	}
	switch v.plain() {
	case "true":
		return Datum{Bool: true}, nil
	case "false":
		return Datum{}, nil
	}
	return Datum{}, errWrongType
}

func convertBytes(v value) (Datum, error) {
	if v.json != nil && v.json.Kind() != '"' {
		return Datum{}, errWrongType
	}
	text := strings.TrimRight(v.plain(), "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(text)
	if err != nil {
		return Datum{}, errors.New("is not base64")
	}
	if b == nil {
		b = []byte{}
	}
	return Datum{Bytes: b}, nil
}
