package explain

// Version is the version of the JSON form. Members are only added under one
// version; a member that has nothing to say is left out.
const Version = 1

// Report explains receivers, in the order of whgen.yaml. Durations are texts
// as contracts write them ("72h"), selectors too ("/data/id",
// "header:X-Id").
type Report struct {
	Version   int         `json:"version"`
	Receivers []*Receiver `json:"receivers"`
}

// Receiver is one receiver of whgen.yaml.
type Receiver struct {
	Source      string       `json:"source"`
	Document    Document     `json:"document"`
	Package     Package      `json:"package"`
	Preset      string       `json:"preset,omitempty"`
	Refinements []Refinement `json:"refinements,omitempty"`
	Endpoints   []*Endpoint  `json:"endpoints"`
	Events      []*Event     `json:"events"`
	Effects     []*Effect    `json:"effects,omitempty"`
	Tables      []Table      `json:"tables"`
	Downstreams []Downstream `json:"downstreams,omitempty"`
	Settings    []Setting    `json:"settings,omitempty"`
	Tenant      string       `json:"tenant,omitempty"` // where it is told
	Diagram     string       `json:"diagram"`          // Mermaid
}

// Document is what was read.
type Document struct {
	Path     string   `json:"path"`
	Overlays []string `json:"overlays,omitempty"`
	Title    string   `json:"title,omitempty"`
	OpenAPI  string   `json:"openapi"`
}

// Package is where the generated code goes.
type Package struct {
	Out    string `json:"out"`
	Name   string `json:"name"`
	Engine string `json:"engine"` // sqlite, postgres/pgx, postgres/sql
}

// Refinement is where the contract says otherwise than a preset, or more.
type Refinement struct {
	Where    string `json:"where,omitempty"` // empty: at the root
	Preset   string `json:"preset"`
	Key      string `json:"key"`
	Was      string `json:"was,omitempty"` // JSON; empty: the preset says nothing
	Is       string `json:"is,omitempty"`  // JSON; empty: taken back
	Position string `json:"position"`      // file:line:column
}

// Endpoint is one URL of the receiver.
type Endpoint struct {
	Name       string      `json:"name,omitempty"`
	Path       string      `json:"path"` // below the mount point; empty: the mount point
	Shared     bool        `json:"shared,omitempty"`
	Methods    []string    `json:"methods"`
	Media      []string    `json:"media"`
	MaxBody    int64       `json:"maxBody"`         // bytes
	Items      string      `json:"items,omitempty"` // where a batch has its events
	Type       []string    `json:"type,omitempty"`
	Unknown    string      `json:"unknown"` // acknowledge, retry, reject
	Signature  *Signature  `json:"signature"`
	Sender     Sender      `json:"sender"`
	Challenges []Challenge `json:"challenges,omitempty"`
	Early      []Decision  `json:"early"` // decided before the event is known, and unknown types
}

// Challenge is a request that is answered without an event.
type Challenge struct {
	When         []string `json:"when"`
	Authenticate string   `json:"authenticate"` // signature, params, none
	Status       int      `json:"status"`
	Body         string   `json:"body,omitempty"`
}

// Signature is how a request proves where it comes from.
type Signature struct {
	Type      string       `json:"type,omitempty"` // empty with any and all
	Preset    string       `json:"preset,omitempty"`
	Imported  string       `json:"imported,omitempty"` // the extension of the document that it is read from, with its position
	From      []string     `json:"from,omitempty"`
	Hash      string       `json:"hash,omitempty"`
	Encoding  string       `json:"encoding,omitempty"`
	Content   string       `json:"content,omitempty"`
	Tolerance string       `json:"tolerance,omitempty"` // into the past; "none" where the time is not judged
	Future    string       `json:"futureTolerance,omitempty"`
	Reason    string       `json:"reason,omitempty"`  // of type none
	Secrets   []Secret     `json:"secrets,omitempty"` // or public keys
	Items     string       `json:"items,omitempty"`   // every element is signed by itself
	BodyHash  string       `json:"bodyHash,omitempty"`
	Algs      []string     `json:"algs,omitempty"`
	Networks  []string     `json:"networks,omitempty"`
	Plugin    string       `json:"plugin,omitempty"`
	Any       []*Signature `json:"any,omitempty"` // one has to accept; coverage stands above
	All       []*Signature `json:"all,omitempty"` // every one has to
	Covers    []string     `json:"covers,omitempty"`
	Leaves    []string     `json:"leaves,omitempty"` // not covered
	Warnings  []string     `json:"warnings,omitempty"`
}

// Secret is a secret's name, never its value.
type Secret struct {
	Name    string `json:"name"`
	Until   string `json:"until,omitempty"`   // last day, UTC
	Fetched bool   `json:"fetched,omitempty"` // a public key; Name is where it is published
}

// Sender is what the contract says about the sender's habits.
type Sender struct {
	Acknowledges []string `json:"acknowledges,omitempty"`
	Retries      string   `json:"retries"` // others, never, or statuses
	Stops        []string `json:"stops,omitempty"`
	Timeout      string   `json:"timeout,omitempty"`
	RetryHorizon string   `json:"retryHorizon,omitempty"`
	Redelivers   string   `json:"redelivers,omitempty"`
	Resigns      bool     `json:"resigns"` // each attempt is signed anew
}

// Decision is one line of the decision table.
type Decision struct {
	Outcome     string   `json:"outcome"`
	When        string   `json:"when"`
	Status      int      `json:"status"`
	Replay      bool     `json:"replay,omitempty"` // the stored answer; status and body stand in where none is stored
	ContentType string   `json:"contentType,omitempty"`
	Headers     []string `json:"headers,omitempty"` // Name: value
	RetryAfter  string   `json:"retryAfter,omitempty"`
	Body        string   `json:"body,omitempty"`
	Sender      string   `json:"sender"` // acknowledged, retried, dropped, stops, unknown
}

// Event is one kind of business event.
type Event struct {
	Name           string     `json:"name"`
	Entry          string     `json:"entry"`
	Endpoints      []string   `json:"endpoints,omitempty"` // names; empty where there is one without
	Types          []string   `json:"types,omitempty"`
	Confirmed      bool       `json:"confirmed"` // false: the type is only the entry's name
	Summary        string     `json:"summary,omitempty"`
	When           []string   `json:"when,omitempty"`
	Key            Key        `json:"key"`
	Fingerprint    string     `json:"fingerprint"`
	Replay         string     `json:"replay"` // what a captured request can do
	Retention      Retention  `json:"retention"`
	PayloadKept    string     `json:"payloadKept"`
	AnswerWithin   string     `json:"answerWithin"`
	Deadline       string     `json:"deadline"`
	InProgressWait string     `json:"inProgressWait"`
	Handler        bool       `json:"handler"`
	Effects        []string   `json:"effects,omitempty"`
	Decisions      []Decision `json:"decisions"`
}

// Key is what identifies an event.
type Key struct {
	Parts    []KeyPart `json:"parts,omitempty"`
	Derived  string    `json:"derived,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
}

// KeyPart is one selector of the key.
type KeyPart struct {
	From   string `json:"from"`
	Signed bool   `json:"signed"`
}

// Retention is how long the key is kept.
type Retention struct {
	For string `json:"for"`
	Why string `json:"why"`
}

// Table is a table of the database.
type Table struct {
	Name    string   `json:"name"`
	Holds   string   `json:"holds"`
	Columns []Column `json:"columns,omitempty"` // of record effects' tables
	Unique  []string `json:"unique,omitempty"`
}

// Column is a column of a record effect's table.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
}

// Effect is one effect, in all events that have it.
type Effect struct {
	Name       string    `json:"name"`
	Kind       string    `json:"kind"` // record, call, http
	Table      string    `json:"table,omitempty"`
	Unique     []string  `json:"unique,omitempty"`
	OnConflict string    `json:"onConflict,omitempty"`
	To         string    `json:"to,omitempty"` // the downstream
	Enqueue    string    `json:"enqueue,omitempty"`
	Key        string    `json:"key,omitempty"` // how the outside knows a repeat
	Schedule   *Schedule `json:"schedule,omitempty"`
	Fence      string    `json:"fence,omitempty"`
	Uses       []Use     `json:"uses"`
}

// Use is an effect in one event.
type Use struct {
	Event   string   `json:"event"`
	When    []string `json:"when,omitempty"`
	Columns []Fill   `json:"columns,omitempty"`
	Request string   `json:"request,omitempty"` // method and path
	Payload string   `json:"payload,omitempty"` // with the selectors in it
}

// Fill says what a column is filled with.
type Fill struct {
	Column string `json:"column"`
	From   string `json:"from"`
	Null   bool   `json:"null,omitempty"` // NULL where it is absent
}

// Schedule is when a message is tried.
type Schedule struct {
	Attempts  int      `json:"attempts"`
	Delays    []string `json:"delays"` // before attempts 2, 3, ...
	Jitter    float64  `json:"jitter,omitempty"`
	Timeout   string   `json:"timeout"`             // of one attempt
	EndsAfter string   `json:"endsAfter"`           // at the latest, from the beginning of the first attempt
	Remembers string   `json:"remembers,omitempty"` // the outside's memory; "always"
	Inside    bool     `json:"inside"`              // the last attempt ends before the key is forgotten
}

// Downstream is a system that effects call.
type Downstream struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Headers []string `json:"headers,omitempty"` // names
	Timeout string   `json:"timeout"`
	Success string   `json:"success"`
	RetryOn string   `json:"retryOn"`
	Private bool     `json:"private"` // loopback and private addresses are allowed
	Rate    string   `json:"rate"`
}

// Setting is read at start.
type Setting struct {
	Name   string `json:"name"`
	Secret bool   `json:"secret,omitempty"`
}
