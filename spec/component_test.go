package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/whgen/whgen/spec"
)

const componentsHead = `openapi: 3.1.0
info: {title: x, version: "1"}
x-whgen:
  version: 1
  source: shop
  signature: {type: none, reason: A test.}
  event: {type: /type, key: {from: /id, undeclared: true}}
  outcomes: {processed: 200, duplicate: 200, conflict: 200, inProgress: 503, failed: 503}
webhooks:
`

const componentsTail = `
components:
  schemas:
    A:
      properties:
        type: {type: string}
        other: {$ref: "other.yaml#/components/schemas/X"}
        whole: {$ref: "sub/whole.yaml"}
    B:
      properties:
        type: {type: string}
        own: {$ref: "#/components/schemas/X"}
        part: {$ref: "#/components/schemas/X/properties/items/items/properties/deep"}
    X: {properties: {items: {type: array, items: {properties: {deep: {properties: {own: {type: string}}}}}}}}
`

func entryOf(name, schema string) string {
	return "  " + name + ": {post: {x-whgen: {event: " + name + "}, requestBody: {content: {application/json: {schema: {$ref: \"#/components/schemas/" + schema + "\"}}}}}}\n"
}

// TestComponentNamesDoNotDependOnEntries: which entries there are renames nothing.
func TestComponentNamesDoNotDependOnEntries(t *testing.T) {
	files := map[string]string{
		"other.yaml":     "components: {schemas: {X: {properties: {theirs: {type: string}}}}}\n",
		"sub/whole.yaml": "{properties: {back: {$ref: '../c.yaml#/components/schemas/X'}}}\n",
	}
	names := func(entries string) map[string]string {
		files["c.yaml"] = componentsHead + entries + componentsTail
		c := loadFiles(t, files, "c.yaml")
		out := map[string]string{}
		for name, ref := range c.Document.Components.Schemas {
			for property := range ref.Value.Properties {
				out[property] = name
			}
		}
		return out
	}
	both := names(entryOf("a", "A") + entryOf("b", "B"))
	if both["items"] != "X" || both["own"] == "" || both["theirs"] == "X" || both["back"] != "whole" {
		t.Errorf("names %v; want the document's own X to keep its name", both)
	}
	if n := names(entryOf("b", "B")); n["items"] != "X" || n["part"] != both["part"] {
		t.Errorf("without the other entry: %v, with it: %v", n, both)
	}
	if n := names(entryOf("a", "A")); n["theirs"] != both["theirs"] || n["items"] != "X" {
		t.Errorf("without the other entry: %v, with it: %v", n, both)
	}
	if !slices.Contains([]string{"X.items.item.deep"}, partName(t, files)) {
		t.Errorf("a part of a schema is named %q", partName(t, files))
	}
}

func partName(t *testing.T, files map[string]string) string {
	t.Helper()
	files["c.yaml"] = componentsHead + entryOf("b", "B") + componentsTail
	c := loadFiles(t, files, "c.yaml")
	ref := event(t, c, "b").Schema.Value.Properties["part"].Ref
	return strings.TrimPrefix(ref, "#/components/schemas/")
}

// TestChildrenAreReached: a base names nobody, its children name it.
func TestChildrenAreReached(t *testing.T) {
	c := loadFiles(t, map[string]string{"c.yaml": componentsHead + entryOf("a", "Holder") + `
components:
  schemas:
    Holder: {properties: {type: {type: string}, pet: {$ref: "#/components/schemas/Pet"}}}
    Pet: {type: object, required: [kind], discriminator: {propertyName: kind}, properties: {kind: {type: string}, name: {type: string}}}
    Cat: {allOf: [{$ref: "#/components/schemas/Pet"}, {properties: {lives: {type: integer}}}]}
    Tiger: {allOf: [{$ref: "#/components/schemas/Cat"}, {properties: {stripes: {type: integer}}}]}
    Fish: {properties: {fins: {type: integer}}}
`}, "c.yaml")
	pet := c.Document.Components.Schemas["Pet"].Value
	var refs []string
	for _, v := range pet.OneOf {
		refs = append(refs, strings.TrimPrefix(v.Ref, "#/components/schemas/"))
	}
	if want := []string{"Cat", "Tiger", "PetBase"}; !slices.Equal(refs, want) {
		t.Errorf("a pet is one of %v; want %v", refs, want)
	}
	if _, ok := c.Document.Components.Schemas["PetBase"].Value.Extensions[spec.BaseExtension]; !ok {
		t.Error("what all pets have is not marked")
	}
	if c.Document.Components.Schemas["Fish"] != nil {
		t.Error("a schema that builds on nothing is kept")
	}
}

// TestEventsFindTheirVariant: by mapping, by name, by a fixed value.
func TestEventsFindTheirVariant(t *testing.T) {
	for name, schemas := range map[string]string{
		"mapping":     `Any: {discriminator: {propertyName: type, mapping: {made: "#/components/schemas/Made"}}, oneOf: [{$ref: "#/components/schemas/Made"}, {$ref: "#/components/schemas/Gone"}]}`,
		"oneOf names": `Any: {discriminator: {propertyName: type}, oneOf: [{$ref: "#/components/schemas/made"}, {$ref: "#/components/schemas/Gone"}]}`,
		"constants":   `Any: {discriminator: {propertyName: type}, anyOf: [{$ref: "#/components/schemas/Gone"}, {$ref: "#/components/schemas/Made"}]}`,
		"no word":     `Any: {oneOf: [{$ref: "#/components/schemas/Gone"}, {$ref: "#/components/schemas/Made"}]}`,
		"children":    `Any: {discriminator: {propertyName: type}, properties: {type: {type: string}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			parent := ""
			if name == "children" {
				parent = `{$ref: "#/components/schemas/Any"}, `
			}
			c := loadFiles(t, map[string]string{"c.yaml": componentsHead + `  any: {post: {x-whgen: {events: {made: {}, gone: {}}}, requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Any"}}}}}}
components:
  schemas:
    ` + schemas + `
    Made: {allOf: [` + parent + `{properties: {type: {const: made}, mine: {type: string}}}]}
    made: {allOf: [` + parent + `{properties: {type: {const: made}, mine: {type: string}}}]}
    Gone: {properties: {type: {const: gone}}}
`}, "c.yaml")
			s := event(t, c, "made").Schema.Value
			if len(s.AllOf) == 0 || s.AllOf[len(s.AllOf)-1].Value.Properties["mine"] == nil {
				t.Errorf("the event has the schema %+v", s)
			}
		})
	}
}

// TestValuesOfACircle: what the type's place allows comes back to itself.
func TestValuesOfACircle(t *testing.T) {
	c := loadFiles(t, map[string]string{"c.yaml": componentsHead + entryOf("a", "Ev") + `
components:
  schemas:
    Ev: {properties: {type: {$ref: "#/components/schemas/Kind"}}}
    Kind: {oneOf: [{$ref: "#/components/schemas/Kind"}, {allOf: [{$ref: "#/components/schemas/Other"}]}]}
    Other: {anyOf: [{$ref: "#/components/schemas/Kind"}, {const: a}]}
`}, "c.yaml")
	if e := event(t, c, "a"); len(e.Types) != 1 || e.Types[0] != "a" {
		t.Errorf("types %v, want a", e.Types)
	}
}
