package spec

import (
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// Contract is one sender's document, its overlays and the x-whgen policy on
// top of it, resolved and checked: what the generator reads. Every merge (root
// to endpoint to entry to event), default and preset has been applied. Words
// are the contract's; names of the target language are the plan's business.
type Contract struct {
	Pos         Pos          // of the root x-whgen
	Source      string       // [a-z][a-z0-9_]*; whgen.yaml's wins
	Title       string       // info.title of the document
	Description string       // info.description
	Preset      string       // root preset, "" without one
	Refined     []Refinement // what the contract says otherwise than its presets, in the presets' order

	Endpoints   []*Endpoint       // at least one; in the document's order
	Events      []*Event          // sorted by Name
	Effects     []*Effect         // every effect once, sorted by Name; events share pointers
	Downstreams []*Downstream     // sorted by Name
	Settings    []Setting         // every ${NAME}, params and publicUrl setting, sorted by Name
	Params      map[string]string // params: name to setting
	PublicURL   string            // the setting that holds the public address of the mount point, "" without
	Tenant      *Selector         // path, header or query: which account a request is for; nil without

	// Uncovered is what the document says can arrive, and this receiver does not
	// take: entries under webhooks, x-webhooks and callbacks, and types of entries
	// that carry several. Sorted by name.
	Uncovered []Uncovered

	Document *openapi3.T // the cut document, references resolved
	Receiver Receiver    // the whgen.yaml entry it was loaded for
}

// Uncovered is one entry of the document, or one type of an entry ("entry type"),
// that no event of the receiver takes.
type Uncovered struct {
	Name string
	Pos  Pos
}

// Endpoint is one URL of the receiver. A contract without `endpoints` has one
// with the empty name at the mount point.
type Endpoint struct {
	Pos       Pos
	Name      string // "" for the only one
	Path      string // below the mount point; "" is the mount point; a segment may be a parameter, such as {tenant}
	Shared    bool   // keys are the source's, not the endpoint's
	MaxBody   int64  // bytes
	Media     []string
	AsJSON    []string // those of Media whose bodies are JSON though their names do not say so
	Document  *DocumentPlace
	Encodings []string // content codings that are taken: gzip
	// SignsDecoded: the signature is over the decompressed bytes.
	SignsDecoded bool
	Redact       []Selector // secrets that stand in the body: never stored
	Methods      []string   // of the entries that arrive here, sorted, POST first
	Signature    *Scheme
	Challenges   []*Challenge
	Items        string     // event.items: where a batch has its events, "" where a body is one
	Type         []Selector // event.type, joined by "."; empty: one entry, no type
	Unknown      UnknownPolicy
	Sender       *Habits
	Events       []*Event             // those that arrive here, sorted by Name
	Outcomes     map[Outcome]Response // resolved for what is decided before the event is known (unauthenticated, malformed, tooLarge, unsupportedMedia, methodNotAllowed) and for unknown types (ignored, failed, rejected); of a batch also processed and inProgress
}

// UnknownPolicy says what a verified type that nobody listed gets.
type UnknownPolicy string

// The policies of event.unknown.
const (
	UnknownAcknowledge UnknownPolicy = "acknowledge"
	UnknownRetry       UnknownPolicy = "retry"
	UnknownReject      UnknownPolicy = "reject"
)

// Event is one kind of business event: an entry, or one event of an entry that
// carries several.
type Event struct {
	Pos         Pos
	Name        string   // [a-z][A-Za-z0-9]*
	Entry       string   // the entry's name in the document
	Method      string   // of its operation, such as POST
	Types       []string // values of the type on the wire; one may end in ".*"; empty: whatever arrives
	Confirmed   bool     // false: the type is only the entry's name
	Summary     string
	Description string
	Media       string              // media type of the body, without parameters
	Body        BodyKind            // how its body, or the document inside of it, is read
	Schema      *openapi3.SchemaRef // of the body, of the document inside of it, or of a batch's element; nil where the document has none
	Example     []byte              // JSON text of an example of the body that the document gives, nil without
	// Envelope is the schema of the whole body of a batch, and EnvelopeExample an
	// example of it; nil elsewhere.
	Envelope        *openapi3.SchemaRef
	EnvelopeExample []byte
	When            []Condition

	Key         []Selector // parts of event.key; empty with Derived
	Derived     *Members   // event.derived
	Fingerprint Members    // zero: the raw bytes

	Outcomes       map[Outcome]Response // every outcome, references resolved, defaults filled
	AnswerWithin   time.Duration
	Deadline       time.Duration
	InProgressWait time.Duration
	Retention      time.Duration
	PayloadKeep    time.Duration // 0: only where somebody needs it
	Redact         []Selector    // what no stored payload shows
	Replay         string        // event.replay: "", "refuse", "process"
	Unsigned       []string      // parts of the key that the signature does not cover, where it covers anything

	Handler bool      // a Go handler is called
	Effects []*Effect // in the contract's order
}

// Members selects members of the JSON body, or fields of a form, for a digest:
// Of lists what counts, Exclude what does not. Both empty means the raw bytes.
type Members struct {
	Of      []Selector
	Exclude []Selector
}

// Raw reports whether the digest is over the raw bytes.
func (m Members) Raw() bool { return len(m.Of) == 0 && len(m.Exclude) == 0 }

// SelectorKind says where a selector reads.
type SelectorKind string

// The kinds of selectors.
const (
	SelectBody     SelectorKind = "body"
	SelectItem     SelectorKind = "item"
	SelectHeader   SelectorKind = "header"
	SelectQuery    SelectorKind = "query"
	SelectForm     SelectorKind = "form"
	SelectPath     SelectorKind = "path"
	SelectElement  SelectorKind = "element"
	SelectSigned   SelectorKind = "signed"
	SelectParam    SelectorKind = "param"
	SelectConst    SelectorKind = "const"
	SelectMethod   SelectorKind = "method"   // in signature and challenge only
	SelectEnvelope SelectorKind = "envelope" // the JSON around an endpoint's document
)

// Selector names one value of a delivery.
type Selector struct {
	Pos        Pos
	Kind       SelectorKind
	Name       string // header, query, form, path, element, signed, param: the name; const: the text
	Pointer    string // body, item and envelope: RFC 6901
	Setting    string // param: the setting that holds it
	Whole      bool   // body, at a batch: of the whole body, not of the element
	Optional   bool
	Default    *string // JSON text, nil without
	Undeclared bool
	Schema     *openapi3.SchemaRef // what the pointer reaches in the body schema, nil where unknown or free-form
	Required   bool                // the schema requires it on the whole way
}

// Text is the selector as a contract writes it, such as "/data/id" or
// "header:webhook-id".
func (s Selector) Text() string {
	switch s.Kind {
	case SelectBody:
		return bodyText(s)
	case SelectItem, SelectEnvelope:
		return string(s.Kind) + ":" + s.Pointer
	case SelectMethod:
		return "method"
	default:
		return string(s.Kind) + ":" + s.Name
	}
}

// Condition is one line of `when`.
type Condition struct {
	From    Selector
	Op      string   // "equals", "in", "present"
	Values  []string // JSON texts for body, item and envelope, plain texts otherwise
	Present bool     // for "present"
}

// Outcome is what a receiver decided.
type Outcome string

// The outcomes; see docs/semantics.md for what each promises.
const (
	Processed        Outcome = "processed"
	Duplicate        Outcome = "duplicate"
	Conflict         Outcome = "conflict"
	InProgress       Outcome = "inProgress"
	Failed           Outcome = "failed"
	Accepted         Outcome = "accepted"
	Rejected         Outcome = "rejected"
	Known            Outcome = "known"
	Stale            Outcome = "stale"
	Ignored          Outcome = "ignored"
	Unauthenticated  Outcome = "unauthenticated"
	Malformed        Outcome = "malformed"
	TooLarge         Outcome = "tooLarge"
	UnsupportedMedia Outcome = "unsupportedMedia"
	MethodNotAllowed Outcome = "methodNotAllowed"
)

// Response is the answer of an outcome.
type Response struct {
	Pos         Pos
	Replay      bool // the stored response; the rest is the fallback that stands in where none is stored
	Status      int
	ContentType string
	Headers     []Header // in the contract's order
	Body        *Template
	RetryAfter  time.Duration // whole seconds; 0 without
}

// Header is one header line of a response or a request.
type Header struct {
	Name  string
	Value Template
}

// Template is text with selectors or placeholders in braces, split in order.
type Template struct {
	Pos   Pos
	Parts []TemplatePart
}

// Literal reports whether the template holds no selector, and its text.
func (t *Template) Literal() (string, bool) {
	text := ""
	for _, p := range t.Parts {
		if p.Selector != nil || p.Setting != "" || p.Placeholder != "" || p.Fields != nil || p.Digest != nil {
			return "", false
		}
		text += p.Text
	}
	return text, true
}

// TemplatePart is literal text, a selector, a ${SETTING}, or (in signature
// content only) a placeholder such as "body", "timestamp", "id", or a list of fields.
type TemplatePart struct {
	Text        string
	Selector    *Selector
	Setting     string
	Placeholder string
	Fields      *FieldList
	Digest      *Digest // in answers of challenges only
}

// EffectKind is the kind of an effect.
type EffectKind string

// The effect kinds that are generated.
const (
	EffectRecord EffectKind = "record"
	EffectCall   EffectKind = "call"
	EffectHTTP   EffectKind = "http"
)

// Effect is one declared effect. Effect names are unique in a source; the same
// name in two events is one effect in each event's list (same Name, own
// pointers for its selectors), and must agree in kind, columns' types and
// payload type.
type Effect struct {
	Pos     Pos
	Name    string
	Event   string // the event whose selectors these are
	Kind    EffectKind
	When    []Condition
	Enqueue string // "" or "handler": sent only when the handler asks

	// record
	Table      string
	Columns    []Column // in the contract's order
	Unique     []string
	OnConflict string // reject, fail, keep, update; "" without Unique

	// call and http
	Payload      *Payload // selectors and templates; nil: the raw body
	PayloadTypes []Field  // with Enqueue "handler": name and type of each member
	Key          KeyPolicy
	Retry        []time.Duration // delays before attempts 2, 3, ...; cut to end inside Key.Remembers
	RetryJitter  float64         // 0..1, share of the delay
	Timeout      time.Duration

	// http
	Method string
	Path   *Template
	To     *Downstream
}

// Column is one column of a record effect.
type Column struct {
	Pos      Pos
	Name     string
	From     *Template // one Selector part: the value itself; otherwise text
	Type     string    // text, integer, numeric, boolean, timestamp, date, json, bytes
	Format   string    // timestamp: "", unix, unix_ms, assumeUTC
	Nullable bool
}

// Field is a member of a handler-enqueued payload.
type Field struct {
	Pos  Pos
	Name string
	Type string // text, integer, numeric, boolean, timestamp, date, json
}

// Payload is a tree of maps, lists, selectors, templates and constants.
// Exactly one of the members is set.
type Payload struct {
	Pos      Pos
	Members  []PayloadMember // object, in the contract's order (IsObject)
	IsObject bool
	Items    []*Payload // array (IsArray)
	IsArray  bool
	Selector *Selector // the value, verbatim JSON
	Template *Template // text
	Literal  string    // JSON text of a constant
}

// PayloadMember is one member of an object payload.
type PayloadMember struct {
	Name  string
	Value *Payload
}

// KeyPolicy is how the outside knows an idempotency key.
type KeyPolicy struct {
	Pos       Pos
	None      bool          // key: none
	Header    string        // http; default Idempotency-Key
	Remembers time.Duration // 0 with Always
	Always    bool          // remembers: always
}

// Downstream is one system that http effects call.
type Downstream struct {
	Pos     Pos
	Name    string
	URL     Template // literal and ${SETTING} parts
	Headers []Header
	Key     *KeyPolicy
	Timeout time.Duration
	Success []StatusRange
	RetryOn []StatusRange
	Private bool
	Rate    float64 // per second; 0 without a limit
}

// StatusRange is an inclusive range of HTTP statuses.
type StatusRange struct{ From, To int }

// Setting is a name whose value is read at start.
type Setting struct {
	Name   string
	Secret bool // stands in a header, or is a parameter: never shown
}
