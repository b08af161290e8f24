package spec

// Config is a whgen.yaml: the project's receivers.
type Config struct {
	Path      string // the file it was read from
	Receivers []Receiver
}

// Receiver is one entry of whgen.yaml, defaults applied. Paths are relative to
// the file's folder, with forward slashes.
type Receiver struct {
	Pos             Pos
	Contract        string
	Overlays        []string
	Source          string // "" until the contract has been read
	Out             string // "" means internal/webhooks/<source>
	Package         string // "" means <source>
	Engine          string // postgres, sqlite
	Driver          string // pgx, database/sql; "" for sqlite
	TablePrefix     string // "" means <source>_ unless PrefixSet
	PrefixSet       bool
	Migrations      string // goose
	Models          Models
	ScaffoldMain    string // folder; "" means cmd/<source>-receiver; "-" none
	ScaffoldHandler bool   // default true
}

// Models are Go types of the user's own that take the place of generated ones.
type Models struct {
	Pos    Pos
	Import string  // import path of their package; "" without models
	Types  []Model // in the order written
}

// Model is one type: of the event of that name, or of the named schema wherever
// it is used.
type Model struct {
	Pos  Pos
	Name string // event or schema
	Type string // exported name in the package
}
