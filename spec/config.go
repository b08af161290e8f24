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
	ScaffoldMain    string // folder; "" means cmd/<source>-receiver; "-" none
	ScaffoldHandler bool   // default true
}
