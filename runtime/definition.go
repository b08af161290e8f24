package runtime

import (
	"time"

	"github.com/whgen/whgen/runtime/keys"
	"github.com/whgen/whgen/runtime/signature"
)

// Definition is what generated code knows about a contract: literals only. NewReceiver
// compiles it once; nothing in it is changed afterwards.
type Definition struct {
	Source    string // names tables, metrics and idempotency keys
	Table     string // the inbox table, for lock keys
	Endpoints []Endpoint
	Events    []Event
	Effects   []Effect  // outbox effects; messages and the relay refer to them by Name
	Settings  []Setting // read at start; a missing one refuses the start
	PublicURL string    // the setting that holds the public address of the mount point; "" without
	Tenant    *Selector // Path, Header or Query: which account a request is for; nil without
}

// Endpoint is one URL of a receiver.
type Endpoint struct {
	Name    string   // "" for the only one
	Path    string   // below the mount point, "" or "/inbound"
	Shared  bool     // keys are the source's, not the endpoint's
	MaxBody int64    // bytes
	Methods []string // empty: POST
	Media   []string
	// AsJSON are those of Media whose bodies are JSON though their names do
	// not say so, such as text/plain.
	AsJSON []string
	// Document says where the JSON document stands, if it is not the body.
	Document *Document
	// Encodings are the content codings that are taken beside none: "gzip".
	// The decompressed body is bounded by MaxBody too.
	Encodings []string
	// SignsDecoded: the signature is over the decompressed bytes.
	SignsDecoded bool
	// Redact is what no stored payload shows: secrets that stand in the body.
	Redact Redaction
	Scheme signature.Scheme
	Keys   []FetchedKey // those of Scheme's that no provider has
	// Challenges are requests that are no deliveries.
	Challenges []Challenge
	// Items is where a batch has its events, a pointer with "*" in it such as
	// /events/*; "" where a body is one event. Body selectors then read the
	// element, Envelope selectors the whole body.
	Items   string
	Type    []Selector // joined by "."; empty: one route for whatever arrives
	Routes  []Route
	Unknown Unknown
	// Responses of what is decided before the event is known, and of types
	// that nobody listed.
	Responses Responses // of a batch also `processed` and `inProgress`
	// Deadline, AnswerWithin and InProgressWait of types that nobody listed.
	Timing Timing
	// Key of types that nobody listed: nil where none is common to the
	// endpoint's events; then such a delivery is counted, not stored.
	UnknownKey []Selector
}

// Document is the place of a JSON document inside of the body: a field of a
// form, or a text in an outer JSON value. Pointers and payload types are then
// the document's.
type Document struct {
	From   Selector // Form or Body
	Base64 bool
}

// Redaction names members and fields whose values are stored as "***": JSON
// Pointers ("*" stands for every element), and decoded names of form fields.
type Redaction struct {
	Pointers []string
	Form     []string
}

// FetchedKey is a public key that is fetched: from a fixed address, or from one
// that the request names, on hosts that the contract allows.
type FetchedKey struct {
	Name   string // as in Scheme
	Source keys.Source
	From   *Selector // Header, Query or Body; nil: Source.URL
}

// Route sends a type to an event: an exact value, or a pattern that ends in
// ".*". The exact one wins, then the longest pattern.
type Route struct {
	Type  string
	Event int // index in Definition.Events
}

// Unknown is the policy for a verified type that nobody listed.
type Unknown int

// The policies: acknowledged as `ignored`, answered as `failed`, or answered as
// `ignored` under a response of its own (which the contract gives).
const (
	UnknownAcknowledge Unknown = iota
	UnknownRetry
	UnknownReject
)

// Timing bounds one attempt. All are durations above zero.
type Timing struct {
	AnswerWithin   time.Duration // then the answer is inProgress and the work goes on
	Deadline       time.Duration // the work's own end
	InProgressWait time.Duration // how long another worker's delivery of the key is waited for
}

// Event is one kind of business event.
type Event struct {
	Name        string
	When        []Condition
	Key         []Selector // composite; empty with Derived
	Derived     *Members   // the key is a digest of members
	Fingerprint Members    // zero: raw bytes
	// RefuseReplay: a known body under a new key is a duplicate. For schemes that
	// sign the whole body, but not the key.
	RefuseReplay bool
	Responses    Responses
	Timing       Timing
	KeepPayload  bool // keep the body of every event, not only of those that somebody needs
	Records      []Record
	Messages     []Message
	Handler      bool // a Go handler runs in the transaction
	Enums        []Enum
	// Fields is what the schema says of the fields of a form body.
	Fields []Field
	Redact Redaction
}

// Field is the type of a field in the nested view of a form (data[FIELDS][ID]
// is /data/FIELDS/ID). Payloads get its text converted; what does not convert
// stays a text, and is a deviation.
type Field struct {
	Pointer  string // "*" stands for every element
	Type     FieldType
	Nullable bool // an empty text is null
}

// FieldType is what the text of a field is converted to.
type FieldType int

// A NumberField has to be a JSON number, a BooleanField true, false, 1 or 0;
// an ObjectField or ArrayField are groups, or JSON in one text.
const (
	TextField FieldType = iota
	NumberField
	BooleanField
	ObjectField
	ArrayField
)

// Enum is a member whose values the document lists. Others are kept and counted.
type Enum struct {
	Pointer string
	Values  []string // JSON texts
}

// Members selects members of the JSON body, or fields of a form, for a digest:
// what counts, or what does not. All empty means the raw bytes, of a form the
// decoded fields: by name, equal names in the order received, files as hashes.
type Members struct {
	Of          []Selector
	Exclude     []string // JSON Pointers; "*" stands for every element
	ExcludeForm []string // decoded names of form fields
}

// Kind says where a Selector reads.
type Kind int

// The kinds. Body, Envelope and Outer read a JSON Pointer, the others a name; Const
// is the text itself.
const (
	Body Kind = iota
	Header
	Query
	Form
	Path
	Signed // the id that the verified scheme has signed
	Param
	Const
	Method   // of the request; it has no name
	Envelope // a JSON Pointer into the whole body of a batch
	Outer    // a JSON Pointer into the JSON around a Document
)

// Selector names one value of a delivery. It is required unless it is Optional
// or has a Default.
type Selector struct {
	Kind     Kind
	Name     string // JSON Pointer, header name, ..., or the constant text
	Optional bool
	Default  string // JSON text; "" without
}

// Condition is one line of `when`: all of an event's must hold. A missing value
// makes it false, except for Op Present with Want false.
type Condition struct {
	From   Selector
	Op     Op
	Values []string // JSON texts for Body, Envelope and Outer, plain texts otherwise and with AsText
	Want   bool     // for Present
	AsText bool     // scalars of the body are compared as texts too: 1 equals "1"
}

// Op compares.
type Op int

// Equals compares with the one value, In with each, Present asks for existence.
const (
	Equals Op = iota
	In
	Present
)

// Text is text with selectors: parts in order.
type Text []TextPart

// TextPart is literal text, a selector's value where From is set, or (in answers
// of challenges) a Digest.
type TextPart struct {
	Text   string
	From   *Selector
	Digest *Digest
}

// Record is a record effect of an event.
type Record struct {
	Effect     string
	When       []Condition
	Columns    []Column
	Constraint string // what the engine calls the declared unique constraint in an error; "" without
	Reject     bool   // violating it quarantines the event; else it is failed
	Table      string
	// Unique are the UNIQUE constraints of the table that the columns can meet,
	// as indices of Columns: events that write one such row do not share a transaction.
	Unique [][]int
}

// Column is one column of a record effect: where its value comes from and what
// it must be converted to.
type Column struct {
	Name     string
	From     Selector // used when Text is nil
	Text     Text
	Type     ColumnType
	Format   TimeFormat
	Nullable bool
}

// ColumnType is the type of a column.
type ColumnType int

// The column types.
const (
	TextColumn ColumnType = iota
	IntegerColumn
	NumericColumn
	BooleanColumn
	TimestampColumn
	DateColumn
	JSONColumn
	BytesColumn
)

// TimeFormat is how a timestamp is written on the wire.
type TimeFormat int

// RFC 3339 needs an offset; AssumeUTC takes one without; the Unix formats are numbers.
const (
	RFC3339 TimeFormat = iota
	AssumeUTC
	UnixSeconds
	UnixMillis
)

// Message is an outbox effect of an event that is enqueued without a handler.
type Message struct {
	Effect  int // index in Definition.Effects
	When    []Condition
	Payload *Payload // nil: the body as it came
	Target  Text     // http: the path, values percent-encoded as one segment each
}

// Payload is a tree of objects, lists, selectors, texts and constants; exactly
// one member is set. It is rendered once, at enqueue.
type Payload struct {
	Object  []Member
	Array   []Payload
	Value   *Selector // verbatim JSON
	Text    Text
	Literal string // JSON text
}

// Member is one member of an object, in the contract's order. An optional
// selector without a value leaves the member out.
type Member struct {
	Name  string
	Value Payload
}

// Effect is what the relay must know of an outbox effect.
type Effect struct {
	Name      string
	NoKey     bool          // the outside knows no keys
	Header    string        // http: the key's header
	Remembers time.Duration // 0 with Always
	Always    bool          // repeating does no harm: no fence
	Retry     []time.Duration
	Jitter    float64
	Timeout   time.Duration
	HTTP      *HTTPEffect // nil for call
}

// HTTPEffect is the request of an http effect.
type HTTPEffect struct {
	Method  string
	URL     []SettingPart // base of the downstream
	Headers []HeaderParts
	Success [][2]int // inclusive ranges of statuses
	RetryOn [][2]int
	Private bool // private addresses are allowed
}

// HeaderParts is one header whose value may hold settings.
type HeaderParts struct {
	Name  string
	Value []SettingPart
}

// SettingPart is literal text or the name of a setting.
type SettingPart struct {
	Text    string
	Setting string
}

// Setting is a ${NAME} of the contract.
type Setting struct {
	Name   string
	Secret bool // never shown
}

// Response is the answer of an outcome.
type Response struct {
	Replay      bool // the stored response; the rest stands in where none is stored
	Status      int
	ContentType string
	Headers     []HeaderText
	Body        Text
	RetryAfter  int // seconds; 0 without
}

// HeaderText is one header line of a response.
type HeaderText struct {
	Name  string
	Value Text
}

// Responses holds an answer for each outcome.
type Responses [outcomes]Response
