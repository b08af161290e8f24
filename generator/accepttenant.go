package generator

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/whgen/whgen/spec"
)

// sampleTenant is the tenant of the generated test.
const sampleTenant = "acme"

var pathParameter = regexp.MustCompile(`\{([A-Za-z0-9_]+)\}`)

// samplePath fills the parameters of an endpoint's path.
func samplePath(path string, tenant *spec.Selector) string {
	return pathParameter.ReplaceAllStringFunc(path, func(found string) string {
		if tenant != nil && tenant.Kind == spec.SelectPath && found == "{"+tenant.Name+"}" {
			return sampleTenant
		}
		return strings.Trim(found, "{}")
	})
}

// sampleTold puts the tenant where else requests tell it.
func sampleTold(tenant *spec.Selector, a *Acceptance) {
	switch {
	case tenant == nil:
	case tenant.Kind == spec.SelectHeader:
		a.Headers = append(a.Headers, [2]string{tenant.Name, sampleTenant})
	case tenant.Kind == spec.SelectQuery:
		join := "?"
		if strings.Contains(a.Path, "?") {
			join = "&"
		}
		a.Path += join + url.QueryEscape(tenant.Name) + "=" + sampleTenant
	}
}
