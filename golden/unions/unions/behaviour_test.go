package unions

import (
	"encoding/json"
	"testing"

	"github.com/whgen/whgen/runtime/payload"
)

func payment(t *testing.T, body string) Payment {
	t.Helper()
	var p Payment
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatal(err)
	}
	if got := string(payload.Append(nil, &p)); len(got) != len(body) {
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

func TestBaseWithoutMappingStandsForItsChildren(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":1,"content":{"type":"Rich","lang":"nb","text":"hei","marks":["b"],"parent":{"type":"Text","text":"up"}}}`)
	rich, ok := p.Content.AsRich()
	if !ok || rich.Text != "hei" || len(rich.Marks) != 1 || *rich.Lang != "nb" {
		t.Fatalf("rich %+v, %v", rich, ok)
	}
	if up, ok := rich.Parent.AsText(); !ok || up.Text != "up" {
		t.Errorf("parent %+v, %v", up, ok)
	}
	if _, ok := p.Content.AsText(); ok {
		t.Error("a rich text is taken for a text")
	}
	p = payment(t, `{"id":"1","type":"payment","method":1,"content":{"type":"Hologram","lang":"nb"}}`)
	if base, ok := p.Content.AsContentBase(); !ok || *base.Lang != "nb" || base.Type != "Hologram" {
		t.Errorf("base of an unknown child: %+v, %v", base, ok)
	}
}

func TestChildThatAddsNothingIsItsBase(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":1,"content":{"type":"Plain","lang":"nb"}}`)
	if plain, ok := p.Content.AsPlain(); !ok || *plain.Lang != "nb" {
		t.Errorf("plain %+v, %v", plain, ok)
	}
}

func TestListedConstantsAreAnOpenEnum(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":1,"state":"paid","grade":2}`)
	if *p.State != PaymentStatePaid || *p.Grade != PaymentGradeN2 {
		t.Errorf("state %v, grade %v", *p.State, *p.Grade)
	}
	p = payment(t, `{"id":"1","type":"payment","method":1,"state":"void","grade":3}`)
	if *p.State != "void" || *p.Grade != 3 {
		t.Errorf("unknown values are lost: state %v, grade %v", *p.State, *p.Grade)
	}
}

func TestVariantThatNoValueTellsMustFit(t *testing.T) {
	p := payment(t, `{"id":"1","type":"payment","method":1,"loose":{"a":"x"}}`)
	if v, ok := p.Loose.AsVariant1(); !ok || *v.A != "x" {
		t.Errorf("variant %+v, %v", v, ok)
	}
	p = payment(t, `{"id":"1","type":"payment","method":1,"loose":{"a":1}}`)
	if _, ok := p.Loose.AsVariant1(); ok {
		t.Error("a number is taken for a text")
	}
}
