package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/whgen/whgen/runtime/signature"
)

// compiler turns an endpoint's literals into what a delivery needs: every body
// selector becomes a slot of one tree.
type compiler struct {
	def         *Definition
	settings    map[string]string
	root        *node
	slots       int
	items       *items // of the endpoint, nil where a body is one event
	around      *node  // of the JSON around a document
	aroundSlots int
}

// selector is a compiled Selector.
type selector struct {
	Selector
	slot     int
	fallback jsontext.Value // Default
}

// endpoint is a compiled Endpoint.
type endpoint struct {
	*Endpoint
	methods                   []string
	media                     []mediaType
	root                      *node
	slots                     int
	items                     *items // nil: a body is one event
	types                     []selector
	routes                    map[string]*event
	patterns                  []pattern // longest first
	only                      *event    // where no type is told
	unknownKey                []selector
	scoped                    bool // its name is the first part of keys
	responses                 *responses
	auth                      *authenticator
	challenges                []challenge
	segments                  []segment       // of its path
	tenant                    *selector       // nil without
	secretive                 map[string]bool // header names that handlers do not get to see
	signedJSON                map[string]int  // slots of pointers that the scheme reads
	around                    *node           // what is read around the document
	aroundSlots, documentSlot int
	flat                      map[string]bool // names of form fields that are not taken apart
	redact                    *redaction      // nil: nothing

	signatureNeeds signature.Needs
}

type pattern struct {
	prefix string
	event  *event
}

// event is an Event as one endpoint reads it.
type event struct {
	*Event
	index       int
	when        []condition
	key         []selector
	derived     *members
	fingerprint members
	records     []record
	messages    []message
	enums       []enum
	responses   *responses
	shape       *fieldShape
	redact      *redaction // the endpoint's included; nil: nothing
}

func (c *compiler) endpoint(e *Endpoint) (*endpoint, error) {
	c.root, c.slots, c.items, c.around, c.aroundSlots = newNode(), 0, nil, newNode(), 0
	out := &endpoint{Endpoint: e, root: c.root, routes: map[string]*event{}, methods: e.Methods}
	if len(out.methods) == 0 {
		out.methods = []string{http.MethodPost}
	}
	if e.MaxBody <= 0 {
		return nil, errors.New("MaxBody is not above zero")
	}
	var err error
	if e.Items != "" {
		if c.items, err = c.compileItems(e.Items); err != nil {
			return nil, err
		}
		out.items = c.items
	}
	if err := checkTiming(e.Timing); err != nil && len(e.Type) > 0 {
		return nil, err
	}
	out.scoped = len(c.def.Endpoints) > 1 && !e.Shared
	if out.segments, err = compilePath(e.Path); err != nil {
		return nil, err
	}
	if out.media, err = compileMedia(e.Media, e.AsJSON); err != nil {
		return nil, err
	}
	if err = c.body(out); err != nil {
		return nil, err
	}
	if out.types, err = c.selectors(e.Type); err != nil {
		return nil, err
	}
	if out.unknownKey, err = c.selectors(e.UnknownKey); err != nil {
		return nil, err
	}
	if out.responses, err = c.responses(e.Responses, false); err != nil {
		return nil, err
	}
	if err := c.routes(out); err != nil {
		return nil, err
	}
	if out.challenges, err = c.challenges(e.Challenges); err != nil {
		return nil, err
	}
	out.readSignature(c)
	out.slots, out.around, out.aroundSlots = c.slots, c.around, c.aroundSlots
	return out, nil
}

// body compiles what says how a body is read.
func (c *compiler) body(out *endpoint) error {
	for _, name := range out.Encodings {
		if name != "gzip" {
			return fmt.Errorf("content encoding %q is not known", name)
		}
	}
	var err error
	if out.redact, err = c.redaction(out.Redact); err != nil {
		return err
	}
	out.flat = map[string]bool{}
	for _, r := range out.Routes {
		if r.Event >= 0 && r.Event < len(c.def.Events) {
			flatNames(out.flat, c.def.Events[r.Event].Fields)
		}
	}
	return c.document(out)
}

func (c *compiler) routes(out *endpoint) error {
	events := map[int]*event{}
	for _, r := range out.Routes {
		if r.Event < 0 || r.Event >= len(c.def.Events) {
			return fmt.Errorf("type %q leads to event %d, which is not there", r.Type, r.Event)
		}
		ev := events[r.Event]
		if ev == nil {
			var err error
			if ev, err = c.event(r.Event, out); err != nil {
				return fmt.Errorf("event %s: %w", c.def.Events[r.Event].Name, err)
			}
			events[r.Event] = ev
		}
		prefix, isPattern := strings.CutSuffix(r.Type, "*")
		switch {
		case len(out.types) == 0:
			out.only = ev
		case isPattern:
			out.patterns = append(out.patterns, pattern{prefix, ev})
		default:
			out.routes[r.Type] = ev
		}
	}
	if len(out.types) == 0 && len(out.Routes) != 1 {
		return fmt.Errorf("without a type there is one route, not %d", len(out.Routes))
	}
	slices.SortStableFunc(out.patterns, func(a, b pattern) int { return len(b.prefix) - len(a.prefix) })
	return nil
}

// route finds the event of a type: exact, else the longest pattern.
func (e *endpoint) route(text string) *event {
	if ev := e.routes[text]; ev != nil {
		return ev
	}
	for _, p := range e.patterns {
		if strings.HasPrefix(text, p.prefix) {
			return p.event
		}
	}
	return nil
}

func (c *compiler) event(index int, at *endpoint) (*event, error) {
	e := &c.def.Events[index]
	out := &event{Event: e, index: index, shape: newShape(e.Fields)}
	steps := []func() error{
		func() (err error) { out.when, err = c.conditions(e.When); return },
		func() (err error) { out.key, err = c.selectors(e.Key); return },
		func() (err error) { out.fingerprint, err = c.members(e.Fingerprint); return },
		func() (err error) { out.records, err = c.records(e.Records); return },
		func() (err error) { out.messages, err = c.messages(e.Messages); return },
		func() (err error) { out.enums, err = c.enums(e.Enums); return },
		func() (err error) { out.responses, err = c.responses(e.Responses, true); return },
		func() (err error) { out.redact, err = c.redaction(at.Redact, e.Redact); return },
		func() error { return checkTiming(e.Timing) },
	}
	if e.Derived != nil {
		steps = append(steps, func() error {
			m, err := c.members(*e.Derived)
			out.derived = &m
			return err
		})
	} else if len(e.Key) == 0 {
		return nil, errors.New("it has no key")
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func checkTiming(t Timing) error {
	if t.AnswerWithin <= 0 || t.Deadline <= 0 || t.InProgressWait <= 0 {
		return errors.New("AnswerWithin, Deadline and InProgressWait have to be above zero")
	}
	return nil
}

func (c *compiler) selectors(list []Selector) ([]selector, error) {
	var out []selector
	for _, s := range list {
		sel, err := c.selector(s)
		if err != nil {
			return nil, err
		}
		out = append(out, sel)
	}
	return out, nil
}

func (c *compiler) selector(s Selector) (selector, error) {
	out := selector{Selector: s, slot: -1}
	switch s.Kind {
	case Body, Envelope:
		if err := c.pointers([]string{s.Name}); err != nil {
			return out, err
		}
		if s.Kind == Body {
			out.slot = c.bodySlot(s.Name)
		} else {
			out.slot = c.root.add(s.Name, &c.slots)
		}
	case Outer:
		if err := c.pointers([]string{s.Name}); err != nil {
			return out, err
		}
		out.slot = c.around.add(s.Name, &c.aroundSlots)
	case Header:
		out.Name = http.CanonicalHeaderKey(s.Name)
	case Param:
		v, ok := c.settings[s.Name]
		if !ok {
			return out, fmt.Errorf("parameter %s is no setting of the definition", s.Name)
		}
		out.Kind, out.Name = Const, v
	case Query, Form, Path, Signed, Const, Method:
	default:
		return out, fmt.Errorf("selector kind %d is not known", s.Kind)
	}
	if s.Default != "" {
		out.fallback = jsontext.Value(s.Default)
		if !out.fallback.IsValid() {
			return out, fmt.Errorf("default of %s is no JSON text", selectorText(s))
		}
	}
	return out, nil
}

func (c *compiler) pointers(list []string) error {
	for _, p := range list {
		if !validPointer(p) {
			return fmt.Errorf("%q is no JSON Pointer", p)
		}
	}
	return nil
}

// readSignature notes what the scheme reads from the body, and which headers
// are nobody's business after verification.
func (e *endpoint) readSignature(c *compiler) {
	e.signedJSON, e.signatureNeeds = map[string]int{}, e.Scheme.Needs()
	for _, p := range e.Scheme.Places("json") {
		if validPointer(p) {
			e.signedJSON[p] = c.root.add(p, &c.slots)
		}
	}
	e.secretive = map[string]bool{"Authorization": true, "Proxy-Authorization": true, "Cookie": true}
	for _, src := range e.Scheme.Credentials() {
		if src.In == "header" {
			e.secretive[http.CanonicalHeaderKey(src.Name)] = true
		}
	}
}

var kindNames = map[Kind]string{
	Header: "header", Query: "query", Form: "form", Path: "path", Signed: "signed", Param: "param", Const: "const", Method: "method", Envelope: "body",
	Outer: "envelope",
}

// selectorText is the selector as a contract writes it.
func selectorText(s Selector) string {
	switch s.Kind {
	case Body:
		return s.Name
	case Method:
		return kindNames[Method]
	}
	return kindNames[s.Kind] + ":" + s.Name
}
