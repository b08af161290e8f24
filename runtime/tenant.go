package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// tenantMark is where the name of a secret takes the tenant.
const tenantMark = "{tenant}"

// maxTenant is the length of a tenant's text.
const maxTenant = 64

// ErrUnknownTenant is what a TenantSecrets provider returns, wrapped or plain,
// for a tenant that it does not know: the request is `unauthenticated`, not
// `failed`.
var ErrUnknownTenant = errors.New("the tenant is not known")

// TenantSecrets is a Secrets provider of one's own for contracts with `tenant`:
// it is asked with the tenant's text and the secret's name as the contract has
// it. It must compare tenants exactly: two spellings that it takes for one
// tenant are two in event keys. What it answers, also that a tenant is unknown,
// holds for 30 s, unless it is Dynamic too.
//
// Without it the tenant goes into the name, upper case, with - as _:
// SHOP_{tenant}_SECRET of acme-eu is SHOP_ACME_EU_SECRET. Names then tell neither
// letter case nor - and _ apart, but event keys do: acme-eu and ACME_EU have one
// secret, and are two tenants.
type TenantSecrets interface {
	Secrets
	TenantSecret(ctx context.Context, tenant, name string) (string, error)
}

// TenantLister is a Secrets provider, other than a TenantSecrets, that can tell
// which tenants have a secret of a name, such as SHOP_{tenant}_SECRET: their
// secrets are then checked at start, as those of receivers without tenants are.
type TenantLister interface {
	Tenants(ctx context.Context, name string) ([]string, error)
}

// SecretName is the name of a tenant's secret.
func SecretName(name, tenant string) string {
	return strings.ReplaceAll(name, tenantMark, strings.ToUpper(strings.ReplaceAll(tenant, "-", "_")))
}

// tenantOf gives a tenant whose secret has a name, as far as there is one.
func tenantOf(name, found string) (string, bool) {
	before, after, ok := strings.Cut(name, tenantMark)
	if !ok || before+after == "" || strings.Contains(after, tenantMark) {
		return "", false
	}
	text, isOne := strings.CutPrefix(found, before)
	text, ends := strings.CutSuffix(text, after)
	return strings.ToLower(strings.ReplaceAll(text, "_", "-")), isOne && ends && validTenant(text)
}

func validTenant(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return text != "" && len(text) <= maxTenant
}

// compileTenant checks that every endpoint can tell the tenant.
func (r *Receiver) compileTenant(c *compiler, e *endpoint) error {
	t := r.def.Tenant
	if t == nil {
		return nil
	}
	switch {
	case t.Kind != Path && t.Kind != Header && t.Kind != Query:
		return errors.New("the tenant is told by path, header or query")
	case t.Kind == Path && !e.hasParam(t.Name):
		return fmt.Errorf("the tenant stands in the path, but path %q has no {%s}", e.Path, t.Name)
	}
	s, err := c.selector(*t)
	e.tenant = &s
	return err
}

// readTenant reads which tenant a request is for. ok is false where that cannot
// be one, also where it is missing or told twice.
func (rq *request) readTenant() (tenant string, ok bool) {
	if rq.endpoint.tenant == nil {
		return "", true
	}
	v, err := rq.read(rq.endpoint.tenant)
	if err != nil || !v.ok || !validTenant(v.text) {
		return "", false
	}
	return v.text, true
}
