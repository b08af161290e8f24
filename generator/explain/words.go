package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whgen/whgen/generator"
	"github.com/whgen/whgen/spec"
)

// and joins words as prose does.
func and(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

func selectors(all []spec.Selector) []string {
	var texts []string
	for _, s := range all {
		texts = append(texts, s.Text())
	}
	return texts
}

// template writes a template as a contract does; a lone selector stands bare.
func template(t *spec.Template) string {
	if t == nil {
		return ""
	}
	if len(t.Parts) == 1 && t.Parts[0].Selector != nil {
		return t.Parts[0].Selector.Text()
	}
	var b strings.Builder
	for _, p := range t.Parts {
		switch {
		case p.Selector != nil:
			b.WriteString("{" + p.Selector.Text() + "}")
		case p.Setting != "":
			b.WriteString("${" + p.Setting + "}")
		case p.Placeholder != "":
			b.WriteString("{" + p.Placeholder + "}")
		case p.Digest != nil:
			b.WriteString("{" + p.Digest.Func + ":" + strings.Join(selectors(p.Digest.Of), "") + "}")
		case p.Fields != nil:
			b.WriteString("{" + fieldList(p.Fields) + "}")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// fieldList says which fields of the body are signed.
func fieldList(f *spec.FieldList) string {
	text := "every field"
	if f.Names != nil {
		text = "fields " + strings.Join(f.Names, ", ")
	}
	if len(f.Exclude) > 0 {
		text += " but " + strings.Join(f.Exclude, ", ")
	}
	return text + " as " + f.Each
}

func conditions(all []spec.Condition) []string {
	var texts []string
	for _, c := range all {
		from := c.From.Text()
		switch {
		case c.Op == "present" && c.Present:
			texts = append(texts, from+" is present")
		case c.Op == "present":
			texts = append(texts, from+" is absent")
		case len(c.Values) == 1:
			texts = append(texts, from+" is "+c.Values[0])
		default:
			texts = append(texts, from+" is one of "+strings.Join(c.Values, ", "))
		}
	}
	return texts
}

// statuses writes ranges as contracts do: 2xx, 410, 500-503.
func statuses(all []spec.StatusRange) []string {
	var texts []string
	for _, s := range all {
		switch {
		case s.From == s.To:
			texts = append(texts, fmt.Sprint(s.From))
		case s.From%100 == 0 && s.To == s.From+99:
			texts = append(texts, fmt.Sprintf("%dxx", s.From/100))
		default:
			texts = append(texts, fmt.Sprintf("%d-%d", s.From, s.To))
		}
	}
	return texts
}

// payload writes a payload with the selectors in place, compact.
func payload(p *spec.Payload) string {
	switch {
	case p == nil:
		return ""
	case p.IsObject:
		var parts []string
		for _, m := range p.Members {
			parts = append(parts, m.Name+": "+payload(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case p.IsArray:
		var parts []string
		for _, item := range p.Items {
			parts = append(parts, payload(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case p.Selector != nil:
		return p.Selector.Text()
	case p.Template != nil:
		return fmt.Sprintf("%q", template(p.Template))
	default:
		return p.Literal
	}
}

func members(m spec.Members) string {
	if m.Raw() {
		return "the raw body"
	}
	if len(m.Of) > 0 {
		return "the members " + and(selectors(m.Of))
	}
	return "the whole body but " + and(selectors(m.Exclude))
}

func same(name string) func(spec.Selector) bool {
	return func(s spec.Selector) bool {
		return s.Kind == spec.SelectHeader && strings.EqualFold("header:"+name, s.Text())
	}
}

// perSubscription are headers that name one subscription's delivery, not the
// event, after the documentation of GitHub, Gitea, Gogs, Forgejo, Shopify,
// WooCommerce and Linear; with what names the event where the sender tells it.
var perSubscription = [][2]string{
	{"X-GitHub-Delivery", ""}, {"X-Gitea-Delivery", ""}, {"X-Gogs-Delivery", ""}, {"X-Forgejo-Delivery", ""},
	{"X-Shopify-Webhook-Id", "header:X-Shopify-Event-Id"}, {"X-WC-Webhook-Delivery-ID", ""}, {"Linear-Delivery", ""},
}

// subscriptionWarning says that a key names a delivery; "" for other keys.
func subscriptionWarning(key []spec.Selector) string {
	for _, known := range perSubscription {
		if !slices.ContainsFunc(key, same(known[0])) {
			continue
		}
		instead := "a member that names the fact itself"
		if known[1] != "" {
			instead = known[1]
		}
		return fmt.Sprintf("header:%s names one subscription's delivery: the same fact sent to two subscriptions is two events. "+
			"Subscribe once, or declare event.businessKey with %s.", known[0], instead)
	}
	return ""
}

// capital begins a sentence.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

var duration = generator.Duration
