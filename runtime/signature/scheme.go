package signature

import "time"

// Scheme declares how one endpoint's requests are authenticated: the literal
// that generated code holds. Compile turns it into a Verifier once, at start.
type Scheme struct {
	Type    string // "hmac", "token", "bearer", "basic", "none"
	Secrets []Secret
	From    []Source // where signatures are; any one may match
	Prefix  string
	// PrefixOptional: a value without the prefix is taken as it is.
	PrefixOptional bool
	List           *List
	Encoding       string // "hex", "base64", "base64url"
	AnyCase        bool   // hex in any letter case
	RepeatAny      bool   // two lines of the signature header are tried each
	Hash           string // "sha1", "sha256", "sha384", "sha512", "md5"
	Decode         Decoding
	Timestamp      *Timestamp
	ID             *Source
	Content        []Part
	Require        []Requirement
}

// Secret names a secret; its value comes from a provider at start.
type Secret struct {
	Name  string
	Until time.Time // zero: for ever
}

// Source is where a value is read from.
type Source struct {
	In   string // "header", "query", "form", "json", "element", "param", "method"
	Name string // header, query, form, param, element name; JSON Pointer for json
}

// List describes a header with several elements.
type List struct {
	Separator string
	Name      string // between name and value; "" for elements without names
	Tags      []string
	Skip      int
	Trim      bool
}

// Decoding says how a secret's text becomes key bytes.
type Decoding struct {
	Encoding    string // "utf8", "base64", "hex"
	StripPrefix string
	PreHash     string
}

// Timestamp is the signed time. Tolerances are inclusive; NoTolerance skips the
// check, a negative FutureTolerance the one of the future.
type Timestamp struct {
	From            Source
	Format          string // "unix", "unix_ms", "unix_us", "rfc3339", "http_date"
	Tolerance       time.Duration
	FutureTolerance time.Duration
	NoTolerance     bool
}

// Part is a piece of the signed content: literal text, or a placeholder:
// "body", "timestamp", "id", "method", "path", "url" (the public one), "secret",
// "crc32:body", "sha256:body", or a Source.
type Part struct {
	Text        string
	Placeholder string
	Source      *Source
}

// Requirement pins a value, such as a version tag. Checked before anything else.
type Requirement struct {
	From   Source
	Equals string
}
