package unions

import (
	"encoding/json"
	"testing"
)

func payment(t *testing.T, body string) Payment {
	t.Helper()
	var p Payment
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatal(err)
	}
	if got := string(p.AppendPayload(nil)); len(got) != len(body) {
		t.Errorf("written back as %s, want %s", got, body)
	}
	return p
}

func TestDiscriminatorTellsTheVariant(t *testing.T) {
	for kind, want := range map[string]string{"card": "card", "debit": "card", "bank": "bank", "wallet": ""} {
		p := payment(t, `{"id":"1","type":"payment","method":{"kind":"`+kind+`","last4":"42","iban":"X"}}`)
		card, isCard := p.Method.AsCard()
		bank, isBank := p.Method.AsBank()
		if p.Method.Kind() != kind || isCard != (want == "card") || isBank != (want == "bank") {
			t.Errorf("%s: kind %q, card %v, bank %v", kind, p.Method.Kind(), isCard, isBank)
		}
		if isCard && card.Last4 != "42" || isBank && bank.Iban != "X" {
			t.Errorf("%s: the variant's members are lost", kind)
		}
	}
}

func TestConstantsTellTheVariantToo(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":{"kind":"card","last4":"42"},"source":{"at":"shop","till":7}}`)
	if _, ok := p.Source.AsWeb(); ok {
		t.Error("a shop is taken for web")
	}
	shop, ok := p.Source.AsShop()
	if n, err := shop.Till.Int64(); !ok || err != nil || n != 7 {
		t.Errorf("till %v, %v, %v", n, ok, err)
	}
}

func TestWithoutDiscriminatorTheWholeMustFit(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":{"kind":"card","last4":"42"},"owner":{"vat":"NO1"},"reference":99}`)
	if _, ok := p.Owner.AsPerson(); ok {
		t.Error("a company is taken for a person")
	}
	if company, ok := p.Owner.AsCompany(); !ok || company.VAT != "NO1" {
		t.Errorf("company %+v, %v", company, ok)
	}
	if _, ok := p.Reference.AsString(); ok {
		t.Error("a number is taken for a text")
	}
	if n, ok := p.Reference.AsInteger(); !ok || n.String() != "99" {
		t.Errorf("reference %s, %v", n, ok)
	}
}

func TestUnknownVariantIsKept(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":["crypto",1]}`)
	if got := string(p.Method.Raw()); got != `["crypto",1]` || p.Method.Kind() != "" {
		t.Errorf("raw %s, kind %q", got, p.Method.Kind())
	}
}
