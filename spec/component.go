package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"sort"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// kept is a referenced schema as the cut document keeps it. A schema with
// children is kept twice: as the choice among them, and as what they build on.
type kept struct {
	node *yaml.Node
	base bool
}

// components gives names to referenced schemas. They follow from where a schema
// stands, and not from the order in which it is met: an entry more or less
// renames nothing.
type components struct {
	root    string // the document's file
	origins map[kept]string
	names   map[kept]string
	order   []kept
}

func newComponents(root string) *components {
	return &components{root: root, origins: map[kept]string{}}
}

// note keeps a schema.
func (c *components) note(k kept, origin string) {
	if _, ok := c.origins[k]; !ok {
		c.origins[k] = origin
		c.order = append(c.order, k)
	}
}

// settle names everything that was noted. The document's own components keep
// their names; of others the first in the order of their places does.
func (c *components) settle() {
	c.names = map[kept]string{}
	taken := map[string]bool{}
	sort.SliceStable(c.order, func(i, j int) bool {
		a, b := c.order[i], c.order[j]
		if own := c.own(a); own != c.own(b) {
			return own
		}
		if c.origins[a] != c.origins[b] {
			return c.origins[a] < c.origins[b]
		}
		return !a.base && b.base
	})
	for _, k := range c.order {
		name := nameOfOrigin(c.origins[k])
		if k.base {
			name += "Base"
		}
		for salt := c.origins[k]; taken[name]; salt += "'" {
			name += "_" + hash4(salt)
		}
		c.names[k], taken[name] = name, true
	}
}

const ownSchemas = "#/components/schemas/"

// own reports whether a schema is a named one of the document itself.
func (c *components) own(k kept) bool {
	rest, ok := strings.CutPrefix(c.origins[k], c.root+ownSchemas)
	return ok && !k.base && !strings.Contains(rest, "/")
}

// nameOfOrigin makes a name of file#pointer: the schema's, with the way below
// it, else the file's.
func nameOfOrigin(origin string) string {
	file, fragment, _ := strings.Cut(origin, "#")
	tokens := strings.Split(strings.Trim(fragment, "/"), "/")
	for i, token := range tokens {
		tokens[i] = unescapeToken(token)
	}
	for _, at := range []string{"schemas", "definitions", "$defs"} {
		for i, token := range tokens[:len(tokens)-1] {
			if token == at {
				return safeComponent(below(tokens[i+1:]))
			}
		}
	}
	if last := tokens[len(tokens)-1]; last != "" {
		return safeComponent(last)
	}
	base := path.Base(file)
	return safeComponent(strings.TrimSuffix(base, path.Ext(base)))
}

// below joins the way from a named schema to a part of it, without the words
// of JSON Schema.
func below(tokens []string) string {
	words := tokens[:1:1]
	for i := 1; i < len(tokens); i++ {
		switch token := tokens[i]; token {
		case "properties", "patternProperties":
			if i++; i < len(tokens) {
				words = append(words, tokens[i])
			}
		case "allOf", "oneOf", "anyOf":
		case "items", "additionalProperties":
			words = append(words, "item")
		default:
			words = append(words, token)
		}
	}
	return strings.Join(words, ".")
}

// hash4 tells apart what would have one name; it follows from the text alone.
func hash4(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToUpper(hex.EncodeToString(sum[:2]))
}

func safeComponent(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "schema"
	}
	return s
}
