package generator

import (
	"go/token"
	"strings"
	"testing"
)

func TestGoName(t *testing.T) {
	for wire, want := range map[string]string{
		"order.paid": "OrderPaid", "order-paid": "OrderPaid", "orderPaid": "OrderPaid", "ORDER_PAID": "OrderPaid",
		"id": "ID", "orderId": "OrderID", "HTTPServer": "HTTPServer", "callback_url": "CallbackURL", "OrderJSON": "OrderJSON",
		"+1": "Plus1", "-1": "Minus1", "1st": "N1st", "": "Empty", "$": "Dollar", "@id": "ID", "日本": "X日本", "état": "État",
		"ı": "I", "☃": "U2603",
	} {
		if got := goName(wire); got != want {
			t.Errorf("goName(%q) = %s, want %s", wire, got, want)
		}
	}
}

func FuzzGoNameIsExported(f *testing.F) {
	for _, s := range []string{"", "a", "9", "日", "_", "ǆ", "٣", "a\x00b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, wire string) {
		if got := goName(wire); !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("goName(%q) = %q, which is no exported identifier", wire, got)
		}
	})
}

func TestScopeNamesDoNotDependOnOthers(t *testing.T) {
	names := func(origins ...string) map[string]string {
		out := map[string]string{}
		var claims []claim
		for _, o := range origins {
			claims = append(claims, claim{wish: goName(o), origin: o, give: func(name string) { out[o] = name }})
		}
		newScope().settle(claims)
		return out
	}
	all := names("order.paid", "order-paid", "orderPaid", "OrderPaid", "other")
	if all["OrderPaid"] != "OrderPaid" {
		t.Errorf("the exact spelling got %s", all["OrderPaid"])
	}
	few := names("OrderPaid", "order-paid")
	if few["order-paid"] != all["order-paid"] {
		t.Errorf("order-paid is %s alone and %s in company", few["order-paid"], all["order-paid"])
	}
	seen := map[string]bool{}
	for _, name := range all {
		if seen[name] {
			t.Errorf("%s was given twice", name)
		}
		seen[name] = true
	}
}

func TestShortenKeepsNamesApart(t *testing.T) {
	long := strings.Repeat("long_column_name_", 5)
	a, b := shorten(long+"a"), shorten(long+"b")
	if len(a) > maxIdent || len(b) > maxIdent || a == b {
		t.Errorf("%q and %q", a, b)
	}
	if got := shorten("orders_id_key"); got != "orders_id_key" {
		t.Errorf("a short name became %q", got)
	}
}

func TestDocLinesAreSafe(t *testing.T) {
	lines := docLines("ends */ here\r\nand\u202e turns\u0000 back", "second\rline")
	for _, l := range lines {
		if strings.ContainsAny(l, "\r\n\x00\u202e") || strings.Contains(l, "*/") {
			t.Errorf("line %q", l)
		}
	}
	if len(lines) != 3 || lines[1] != "" {
		t.Errorf("lines %q, want two paragraphs", lines)
	}
}
