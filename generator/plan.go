package generator

import (
	"github.com/whgen/whgen/spec"
)

// Plan is every name and choice of one generated package, final: emitters and
// templates only write it down. Names here are the target language's: GoName,
// SQLName, WireName, never a bare Name.
type Plan struct {
	Contract   *spec.Contract
	Package    string // Go package
	Out        string // folder, forward slashes, relative to whgen.yaml's
	Import     string // import path of the generated package
	Engine     Engine
	Source     string
	SQL        SQL
	Events     []*Event
	Effects    []*Effect     // outbox effects (call, http), sorted by name
	Types      []*Type       // payload types of events, sorted by GoName
	Accept     []*Acceptance // events that the generated test delivers
	Excepted   []string      // endpoints that it leaves out: what they are, and why
	Scaffold   Scaffold
	HasHandler bool // at least one event calls the user's Go
}

// Engine is database and driver.
type Engine string

// The engines.
const (
	SQLite      Engine = "sqlite"       // database/sql
	PostgresPgx Engine = "postgres/pgx" // native
	PostgresSQL Engine = "postgres/sql" // database/sql
)

// SQL names the tables of a package.
type SQL struct {
	Prefix    string // such as shop_
	Events    string // <prefix>inbox_events
	Conflicts string
	Failures  string
	Payloads  string
	Messages  string   // <prefix>outbox_messages
	Tables    []*Table // of record effects, sorted by SQLName
}

// Table is a table that record effects write: the union of their columns.
type Table struct {
	SQLName string
	Ident   string         // SQLName, quoted where the engine needs it
	Columns []*TableColumn // after event_key, effect, element
	Unique  []*UniqueKey
}

// TableColumn is one column of a record table.
type TableColumn struct {
	SQLName  string // quoted where the engine needs it: use Ident
	Ident    string
	Type     string // text, integer, numeric, boolean, timestamp, date, json, bytes
	Nullable bool   // in the table: also where an effect lacks the column
}

// UniqueKey is a declared unique constraint of a record table.
type UniqueKey struct {
	SQLName string   // constraint name, at most 63 bytes
	Columns []string // Idents
	Error   string   // how the engine names it in an error (Record.Constraint)
}

// Event is one event of the contract.
type Event struct {
	Spec     *spec.Event
	Index    int     // in Definition.Events
	GoName   string  // OrderPaid: handler method, payload type
	Payload  string  // Go type of the decoded payload, such as OrderPaid; "" without a schema (raw JSON)
	Type     *Type   // the same
	Foreign  bool    // Type stands for one of the user's own
	Enums    []*Enum // members whose values are counted where the document does not list them
	Fields   []FormField
	Doc      []string // lines, safe as a comment
	Records  []*Record
	Query    string    // Go/sqlc name of the claim statement: Register, or Deliver<GoName> where Records is not empty
	Messages []*Effect // declared outbox effects that are enqueued without a handler
}

// Enum is a member of the body whose values the document lists.
type Enum struct {
	Pointer string
	Values  []string // JSON texts
}

// Record is a record effect of one event.
type Record struct {
	Spec    *spec.Effect
	Index   int // in Event.Records
	GoName  string
	Table   *Table
	Columns []*RecordColumn
	Unique  *UniqueKey // nil without
	Meets   [][]int    // unique constraints of the table that this effect fills whole, as indices of Columns
	SQLName string     // snake-case name of the effect, prefix of its CTE and parameters
}

// RecordColumn is one column that a record effect fills.
type RecordColumn struct {
	Spec   spec.Column
	Column *TableColumn
	Index  int    // in Record.Columns
	Param  string // SQL parameter base name, unique in the statement: <effect>_<column>
}

// Effect is one outbox effect of the source.
type Effect struct {
	Spec        *spec.Effect
	Index       int     // in Definition.Effects
	GoName      string  // Confirmation
	WireName    string  // confirmation
	Payload     *Type   // ConfirmationPayload; nil for http without handler use
	Types       []*Type // Payload and what only it uses, in the order they are written
	Message     string  // ConfirmationMessage (call)
	Interface   string  // ConfirmationSender (call)
	Method      string  // SendConfirmation (call)
	FromHandler bool    // tx.Outbox.<GoName> exists (Enqueue: handler)
	Params      []Param // of tx.Outbox.<GoName>, for the values of its path
	Target      []TargetPart
}

// Param is a value that the handler gives for the path of an http effect.
type Param struct {
	GoName   string
	WireName string // the selector that stands in the path
}

// TargetPart is a piece of a path: literal text, or one of the Params as a segment.
type TargetPart struct {
	Literal string
	Param   int // index in Params, where Literal is ""
}

// Type is a generated Go payload type.
type Type struct {
	GoName string
	Doc    []string
	Kind   TypeKind
	Fields []*TypeField // struct; union: its variants
	Elem   *GoType      // slice, map: of the elements; enum: what it is made of; alias: what it stands for
	Values []*EnumValue // enum
	// Closed: a struct that only we write, without a Rest.
	Closed bool
	// Discriminator: of a union, the name of the member that tells the variant; "" without.
	Discriminator string

	wish, origin string // the name it would have, and what makes it another's
	parent       *Type  // an inline type's name starts with its parent's
	rank         int    // who keeps a contested name: the lower
	pointer      string // of what it stands for, for diagnostics
	schema       string // identity of an inline type's schema
}

// TypeKind says what is declared.
type TypeKind int

// The kinds of payload types.
const (
	StructType TypeKind = iota
	SliceType
	MapType
	EnumType
	AliasType // type X = Elem
	UnionType // struct that keeps the raw text and has an accessor for each variant
)

// TypeField is one member of a struct, or one variant of a union.
type TypeField struct {
	GoName   string
	WireName string
	GoType   *GoType
	Required bool // the document requires the member
	Doc      []string
	Values   []string // union with a discriminator: what it says for this variant
	Always   bool     // union: what every variant builds on
}

// EnumValue is one declared value of an open enum.
type EnumValue struct {
	GoName string
	Text   string // of a text
	Int    int64  // of an integer
}

// GoType is a Go type together with how it is read and written.
type GoType struct {
	Kind GoKind
	Type *Type   // NamedGo
	Elem *GoType // SliceGo, MapGo, PointerGo, OptGo
	Null bool    // PointerGo: nil is null, not a member that is left out

	Import, Name string // ForeignGo
}

// GoKind is the kind of a Go type expression.
type GoKind int

// The kinds. Int, Number, Time and Date are package payload's.
const (
	RawGo GoKind = iota
	StringGo
	BoolGo
	Int64Go
	IntGo
	NumberGo
	TimeGo
	DateGo
	NamedGo
	SliceGo
	MapGo
	PointerGo
	OptGo
	ForeignGo // a type of the user's own package
)

// Acceptance is what the generated test is told of one event: computed before
// anything runs.
type Acceptance struct {
	Event        *Event // the one that is delivered
	Short        bool   // the short protocol: others have gone through the whole
	Forged       bool   // with forged deliveries: the whole protocol, and the first of each endpoint
	Endpoint     int    // index in Contract.Endpoints
	Method, Path string
	ContentType  string
	Body         string        // JSON with {{n}} where the number of the event goes (in key and unique values)
	Headers      [][2]string   // values may hold {{n}}
	Envelope     string        // what stands around Body where that is a document: {{document}} is its place
	Unsigned     string        // Body without the secret that stands in it, "" where none does
	Changed      string        // the same with other content under the same key
	NoKey        string        // without the key, "" where the key is in a header
	NoKeyHeader  string        // header to leave out
	Batch        bool          // the body is a batch of one
	Tables       []AcceptTable // record tables with the rows one event adds
	Outbox       int           // rows one event adds without a handler
	Answers      []AcceptAnswer
}

// AcceptTable is a record table that is counted.
type AcceptTable struct {
	SQLName string
	Ident   string
	Rows    int
}

// AcceptAnswer is what an outcome is answered with on the wire; texts may hold {{n}}.
type AcceptAnswer struct {
	Outcome           spec.Outcome
	Status            int
	ContentType, Body string
	RetryAfter        int // seconds
	Headers           [][2]string
	Any               bool // the body holds what only the receiver knows
}

// Scaffold says what is written once for the user.
type Scaffold struct {
	Main    string // folder, "" for none
	Handler bool
}

// File is one file of the output, forward slashes, relative to whgen.yaml's folder.
type File struct {
	Path string
	Data []byte
	// Once: a scaffold: written only where nothing stands, never changed after.
	Once bool
	// Append: a migration: written once, never changed; another content under
	// the same name is drift.
	Append bool
}
