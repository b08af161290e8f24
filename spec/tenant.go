package spec

import (
	"slices"
	"strings"
)

// tenantMark is where a name of a secret takes the tenant.
const tenantMark = "{tenant}"

// tenant reads which account a request is for: told before verification,
// because the secrets are the tenant's.
func (l *loader) tenant(v *value, c *Contract) {
	if v == nil {
		return
	}
	s := l.selector(v, place{"tenant", []SelectorKind{SelectPath, SelectHeader, SelectQuery}})
	switch {
	case s == nil:
		return
	case s.Optional || s.Default != nil:
		l.err(v.at, "tenant", "write tenant: "+s.Text(), "tenant: a request without its tenant cannot be verified, so it has neither optional nor default")
		return
	}
	c.Tenant = s
}

// checkTenants holds the endpoints against the tenant's selector: where a path
// tells it, and whose secrets are taken.
func (l *loader) checkTenants(c *Contract, all []*scope) {
	apart := false
	for _, s := range all {
		e := s.endpoint
		if t := c.Tenant; t != nil && t.Kind == SelectPath && pathText.MatchString(e.Path) && !slices.Contains(pathParams(e.Path), t.Name) {
			l.tenantPath(s, t)
		}
		for _, secret := range e.Signature.AllSecrets() {
			if !strings.Contains(secret.Name, tenantMark) {
				continue
			}
			apart = true
			l.spelling(c.Tenant, e.Signature, secret)
			if c.Tenant == nil {
				l.err(secret.Pos, "tenant", "write tenant: path:tenant at the root, with {tenant} in path", "secrets: %q wants a tenant, and where requests tell it is not declared", secret.Name)
			}
		}
	}
	if c.Tenant != nil && !apart {
		l.warn(c.Tenant.Pos, "tenant-shared", `write secrets: ["`+strings.ToUpper(c.Source)+`_{tenant}_SECRET"], or give Config.Secrets a provider that tells tenants apart`,
			"tenant: all tenants have one secret by its name: what is signed for one of them is valid for each other")
	}
}

// spelling tells that names of secrets do not tell spellings of a tenant apart.
func (l *loader) spelling(t *Selector, s *Scheme, secret Secret) {
	inURL := t != nil && t.Kind != SelectHeader && s.Content.has("url") || t != nil && t.Kind == SelectPath && s.Content.has("path")
	if t == nil || secret.Fetch != nil || inURL || s.covers(*t) {
		return
	}
	l.info(secret.Pos, "tenant-spelling", "give Config.Secrets a provider (whrt.TenantSecrets) that compares tenants exactly",
		"secrets: %q is one secret for all spellings of a tenant (acme-eu, ACME_EU), and the signature does not cover which: a captured delivery can be sent again under another spelling, as a new event", secret.Name)
}

// AllSecrets are the secrets and keys of a scheme and its members, none of nil.
func (s *Scheme) AllSecrets() []Secret {
	if s == nil {
		return nil
	}
	all := slices.Clone(s.Secrets)
	for _, m := range append(slices.Clone(s.Any), s.All...) {
		all = append(all, m.AllSecrets()...)
	}
	return all
}

func (l *loader) tenantPath(s *scope, t *Selector) {
	hint := "write path: " + s.endpoint.Path + "/{" + t.Name + "}"
	what := "path"
	if s.named {
		what = "path of endpoint " + s.endpoint.Name
	}
	at := s.at
	if v := s.policy.get("path"); v != nil {
		at = v.at
	}
	l.err(at, "tenant", hint, "tenant: %q wants {%s} in the %s, which is %q", t.Text(), t.Name, what, s.endpoint.Path)
}

// secretName reads a name of a secret, in which {tenant} may stand.
func (r *report) secretName(v *value, what string) (string, bool) {
	if !v.is(textForm) || !strings.Contains(v.text, "{") {
		return r.setting(v, what)
	}
	if !settingName.MatchString(strings.ReplaceAll(v.text, tenantMark, "T")) {
		r.err(v.at, "secret-value", "write SHOP_{tenant}_SECRET", "%s: a name of a setting (A-Z, 0-9, _) can have {tenant} in it, and nothing else in braces", what)
		return "", false
	}
	if strings.Trim(strings.ReplaceAll(v.text, tenantMark, ""), "_") == "" {
		r.err(v.at, "secret-value", "write SHOP_{tenant}_SECRET", "%s: %q would be the name of anything in the environment", what, v.text)
		return "", false
	}
	return v.text, true
}
