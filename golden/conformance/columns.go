package conformance

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"

	whrt "github.com/whgen/whgen/runtime"
)

// columns are record effects: what becomes of values, and of rows that collide.
var columns = []caseOf{
	{name: "columns keep what was sent", run: columnsKeep, habits: true},
	{name: "values that no column can hold", run: unstorable, habits: true},
	{name: "a taken unique value rejects", run: takenRejects, habits: true},
	{name: "a taken unique value fails", run: takenFails, habits: true},
	{name: "a taken unique value keeps the row", run: takenKeeps, habits: true},
	{name: "a taken unique value updates the row", run: takenUpdates, habits: true},
	{name: "one unique value at once", run: takenAtOnce, habits: true},
}

// item is the body of an item; more are members, or nothing.
func item(id, label, whole, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"item.told","label":"%s","whole":%s%s}`, id, label, whole, more)
}

// stored reads the columns of an item as texts that mean the same on every engine.
func (b *bench) stored(id string) string {
	b.Helper()
	query := `SELECT whole, price, CASE open WHEN 1 THEN 'true' WHEN 0 THEN 'false' END, at, since, day, raw, CASE WHEN data IS NOT NULL THEN lower(hex(data)) END, note FROM items WHERE event_key = ?1`
	if b.backend.Postgres {
		utc := `to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
		query = "SELECT whole::text, price::text, open::text, " + fmt.Sprintf(utc, "at") + ", " + fmt.Sprintf(utc, "since") +
			", day::text, raw::text, encode(data, 'hex'), note FROM items WHERE event_key = ?1"
	}
	var v [9]sql.NullString
	into := make([]any, len(v))
	for i := range v {
		into[i] = &v[i]
	}
	if err := b.db.QueryRowContext(b.Context(), b.dialect(query), "columns|"+id).Scan(into...); err != nil {
		b.Fatalf("read item %s: %v; the end of the log:\n%s", id, err, b.log.tail())
	}
	texts := make([]string, len(v))
	for i := range v {
		if texts[i] = v[i].String; !v[i].Valid {
			texts[i] = "NULL"
		}
	}
	return strings.Join(texts, " | ")
}

func columnsKeep(b *bench) {
	url := b.habits(nil) + "/columns"
	for i, c := range []struct{ label, whole, more, want string }{
		{"a", "9007199254740993", `,"price":12345678901234567890.123456789,"open":true,"at":"2026-01-02T03:04:05.6789019+02:00","since":1767322645678,` +
			`"day":"2024-02-29","raw":{"z":"\u00e9","n":9007199254740993,"e":1e3},"data":"AAH/"`,
			`9007199254740993 | 12345678901234567890.123456789 | true | 2026-01-02T01:04:05.678901Z | 2026-01-02T02:57:25.678000Z | 2024-02-29 | {"z":"\u00e9","n":9007199254740993,"e":1e3} | 0001ff | Item a`},
		{"b", "-9223372036854775808", `,"price":-0.10,"open":false,"at":"0001-01-01T00:00:00Z","since":-1,"day":"9999-12-31","raw":{},"data":""`,
			`-9223372036854775808 | -0.10 | false | 0001-01-01T00:00:00.000000Z | 1969-12-31T23:59:59.999000Z | 9999-12-31 | {} |  | Item b`},
		{"c", "1e2", `,"price":null`, "100 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | Item c"},
		{"日本 😀 'quoted' -- ?1 $1", "0", "", "0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | Item 日本 😀 'quoted' -- ?1 $1"},
	} {
		id := fmt.Sprint("i-", i)
		text := item(id, c.label, c.whole, c.more)
		b.compare(do(b.told(url, secret, text)), text, 200)
		if got := b.stored(id); got != c.want {
			b.Errorf("item %d:\n got %s\nwant %s", i, got, c.want)
		}
	}
	b.outcome(whrt.Processed, 4)
}

// unstorable is judged before the database, the same on every engine.
func unstorable(b *bench) {
	url := b.habits(nil) + "/columns"
	bad := map[string]string{
		"label": item("u-1", `a\u0000b`, "1", ""),
		"whole": item("u-2", "a", "1.5", ""),
		"price": item("u-3", "a", "1", `,"price":"dear"`),
		"open":  item("u-4", "a", "1", `,"open":"yes"`),
		"at":    item("u-5", "a", "1", `,"at":"yesterday"`),
		"day":   item("u-6", "a", "1", `,"day":"2023-02-29"`),
		"raw":   item("u-9", "a", "1", `,"raw":{"a":"\u0000"}`),
		"data":  item("u-7", "a", "1", `,"data":"not base64!"`),
	}
	bad["whole "] = item("u-8", "a", "9223372036854775808", "")
	for column, text := range bad {
		b.compare(do(b.told(url, secret, text)), text, 200)
		if n := b.number("SELECT count(*) FROM habits_inbox_events WHERE status = 'rejected' AND reason LIKE ?1", "%"+strings.TrimSpace(column)+"%"); n == 0 {
			b.Errorf("%s: no rejected row tells of the column", column)
		}
	}
	b.outcome(whrt.Rejected, int64(len(bad)))
	if n := b.number("SELECT count(*) FROM items"); n != 0 {
		b.Errorf("%d items, want none", n)
	}
	if n := b.number("SELECT count(*) FROM habits_inbox_payloads"); n != len(bad) {
		b.Errorf("%d bodies are kept for a look, want %d", n, len(bad))
	}
}

// taken delivers two events with one label and checks the second one.
func (b *bench) taken(url string, status int, o whrt.Outcome) string {
	b.Helper()
	first, second := item("t-1", "taken", "1", ""), item("t-2", "taken", "2", "")
	b.compare(do(b.told(url, secret, first)), first, 200)
	b.compare(do(b.told(url, secret, second)), second, status)
	b.compare(do(b.told(url, secret, first)), first, 200)
	if o == whrt.Processed {
		b.outcome(o, 2)
	} else {
		b.outcome(whrt.Processed, 1)
		b.outcome(o, 1)
	}
	b.outcome(whrt.Duplicate, 1)
	return second
}

func (b *bench) wholes(table string, want int) {
	b.Helper()
	if n, sum := b.number("SELECT count(*) FROM "+table), b.number("SELECT sum(whole) FROM "+table); n != 1 || sum != want {
		b.Errorf("%s: %d rows with a sum of %d, want one with %d", table, n, sum, want)
	}
}

func takenRejects(b *bench) {
	url := b.habits(nil) + "/rejects"
	second := b.taken(url, 200, whrt.Rejected)
	b.wholes("rejected_items", 1)
	b.compare(do(b.told(url, secret, second)), second, 200)
	b.outcome(whrt.Duplicate, 2)
	if n := b.number("SELECT count(*) FROM habits_inbox_payloads WHERE event_key = 'rejects|t-2'"); n != 1 {
		b.Errorf("the rejected body is kept %d times, want once", n)
	}
}

func takenFails(b *bench) {
	url := b.habits(nil) + "/fails"
	second := b.taken(url, 503, whrt.Failed)
	b.wholes("failing_items", 1)
	b.sql("DELETE FROM failing_items")
	b.compare(do(b.told(url, secret, second)), second, 200)
	b.wholes("failing_items", 2)
}

func takenKeeps(b *bench) {
	b.taken(b.habits(nil)+"/keeps", 200, whrt.Processed)
	b.wholes("kept_items", 1)
}

func takenUpdates(b *bench) {
	b.taken(b.habits(nil)+"/updates", 200, whrt.Processed)
	b.wholes("updated_items", 2)
}

// takenAtOnce: events of their own that want one unique value. They wait for
// each other's rows, which must not end in a failure.
func takenAtOnce(b *bench) {
	const at = 24
	url := b.habits(nil) + "/rejects"
	var all sync.WaitGroup
	for i := range at {
		text := item(fmt.Sprint("r-", i), "taken", "1", "")
		all.Go(func() { b.compare(do(b.told(url, secret, text)), text, 200) })
	}
	all.Wait()
	b.wholes("rejected_items", 1)
	b.outcome(whrt.Processed, 1)
	b.outcome(whrt.Rejected, at-1)
}
