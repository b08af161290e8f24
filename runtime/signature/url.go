package signature

import "strings"

// spellings gives the texts of one URL that the sender may have signed.
//
// twilio: with and without the port, since the sender is not of one mind about
// it, and with the query escaped the way browsers do. hubspot: with the escapes
// decoded that the sender's documentation lists.
func spellings(normalize, url string) []string {
	switch normalize {
	case "twilio":
		with, without := ports(url)
		all := []string{url}
		for _, u := range []string{with, without, escapeQuery(url), escapeQuery(with), escapeQuery(without)} {
			all = appendNew(all, u)
		}
		return all
	case "hubspot":
		return appendNew([]string{url}, hubspotEscapes.Replace(url))
	}
	return []string{url}
}

func appendNew(all []string, s string) []string {
	for _, have := range all {
		if have == s {
			return all
		}
	}
	return append(all, s)
}

// hubspotEscapes is the table of HubSpot's documentation of signature v3.
var hubspotEscapes = strings.NewReplacer(
	"%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%21", "!", "%24", "$", "%27", "'", "%28", "(", "%29", ")",
	"%2A", "*", "%2C", ",", "%3B", ";", "%3a", ":", "%2f", "/", "%3f", "?", "%2a", "*", "%2c", ",", "%3b", ";")

// ports gives the URL with a port, the scheme's own where it has none, and
// without. User and password stay.
func ports(url string) (with, without string) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url, url
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexAny(authority, "@]") {
		host, port = authority[:i], authority[i+1:]
	}
	if port == "" {
		port = "443"
		if strings.EqualFold(scheme, "http") {
			port = "80"
		}
	}
	return scheme + "://" + host + ":" + port + tail, scheme + "://" + host + tail
}

// escapeQuery escapes in the query what the URL Standard (WHATWG, "special-query
// percent-encode set") has browsers and their like escape.
func escapeQuery(url string) string {
	path, query, ok := strings.Cut(url, "?")
	if !ok || !strings.ContainsFunc(query, inQuerySet) {
		return url
	}
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteString(path + "?")
	for i := range len(query) {
		c := query[i]
		if c < 0x80 && !inQuerySet(rune(c)) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}

func inQuerySet(c rune) bool {
	return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '\''
}
