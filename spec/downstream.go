package spec

import (
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"
)

const defaultTimeout = 10 * time.Second

// downstreams reads the systems that http effects call, sorted by name.
func (r *report) downstreams(v *value) []*Downstream {
	var all []*Downstream
	for _, f := range v.fieldsOf() {
		if !f.value.is(mapForm) || !r.goodName(f, "downstream") {
			continue
		}
		all = append(all, r.downstream(f))
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

func (r *report) goodName(f field, what string) bool {
	if !eventName.MatchString(f.name) {
		r.err(f.at, "name", "write a name such as "+camel(f.name, "orderPaid"), "%s %q: a name is of the form [a-z][A-Za-z0-9]*", what, f.name)
		return false
	}
	return true
}

func (r *report) downstream(f field) *Downstream {
	v := f.value
	d := &Downstream{Pos: f.at, Name: f.name, Timeout: defaultTimeout, Private: isTrue(v.get("private")), Success: []StatusRange{{200, 299}},
		RetryOn: []StatusRange{{408, 408}, {425, 425}, {429, 429}, {500, 599}}}
	if u := v.get("url"); u != nil {
		d.URL = r.settingTemplate(u, "downstream "+f.name)
		r.checkURL(u, d)
	} else {
		r.err(f.at, "downstream-url", `write url: "${`+strings.ToUpper(f.name)+`_URL}"`, "downstream %q has no url", f.name)
	}
	d.Headers = r.downstreamHeaders(v.get("headers"), f.name)
	d.Key = r.outsideKey(v.get("key"), "downstream "+f.name)
	if t, ok := r.duration(v.get("timeout"), "downstreams."+f.name+".timeout"); ok {
		d.Timeout = t
	}
	if s := v.get("success"); s != nil {
		d.Success = r.statuses(s, "downstreams."+f.name+".success")
	}
	if s := v.get("retryOn"); s != nil {
		d.RetryOn = r.statuses(s, "downstreams."+f.name+".retryOn")
	}
	return d
}

func (r *report) checkURL(v *value, d *Downstream) {
	if _, rest, ok := strings.Cut(v.text, "://"); ok && strings.Contains(strings.SplitN(rest, "/", 2)[0], "@") && !strings.Contains(v.text, "${") {
		r.err(v.at, "secret-value", "write it as a setting", "downstream %q: a credential has no place in a contract", d.Name)
		return
	}
	text, plain := d.URL.Literal()
	if !plain {
		return
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		r.err(v.at, "downstream-url", "", "downstream %q: want an http or https URL, or ${NAME}", d.Name)
	}
}

// credentialHeaders hold what must come from a setting. In lower case.
var credentialHeaders = nameSet("authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-auth-token", "x-access-token")

func (r *report) downstreamHeaders(v *value, name string) []Header {
	var all []Header
	for _, f := range v.fieldsOf() {
		if !isToken(f.name) {
			r.err(f.at, "header-name", "", "downstream %q: %q is no name of a header", name, f.name)
			continue
		}
		if credentialHeaders[strings.ToLower(f.name)] && !strings.Contains(f.value.text, "${") {
			r.err(f.value.at, "secret-value", `write "Bearer ${`+strings.ToUpper(name)+`_TOKEN}"`, "downstream %q: a credential has no place in a contract", name)
			continue
		}
		all = append(all, Header{Name: http.CanonicalHeaderKey(f.name), Value: r.settingTemplate(f.value, "downstream "+name)})
	}
	return all
}

// outsideKey reads how the outside knows idempotency keys; nil without or with
// a finding.
func (r *report) outsideKey(v *value, what string) *KeyPolicy {
	switch {
	case v == nil:
		return nil
	case v.is(textForm):
		if v.text != "none" {
			r.err(v.at, "effect-key", "write key: none, or key: {remembers: 24h}", "%s: key %q is not known", what, v.text)
			return nil
		}
		return &KeyPolicy{Pos: v.at, None: true}
	case !v.is(mapForm):
		return nil
	}
	k := &KeyPolicy{Pos: v.at, Header: textOf(v.get("header"))}
	if k.Header != "" && !isToken(k.Header) {
		r.err(v.get("header").at, "header-name", "", "%s: %q is no name of a header", what, k.Header)
	}
	remembers := v.get("remembers")
	switch {
	case remembers == nil:
		r.err(v.at, "effect-key", "write remembers: 24h, or remembers: always where repeating does no harm", "%s: key does not say how long the outside remembers it", what)
	case remembers.text == "always":
		k.Always = true
	default:
		k.Remembers, _ = r.duration(remembers, "key.remembers")
	}
	return k
}
