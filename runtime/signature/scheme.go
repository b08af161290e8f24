package signature

import "time"

// Scheme declares how one endpoint's requests are authenticated: the literal
// that generated code holds. Compile turns it into a Verifier once, at start.
type Scheme struct {
	// Type is "hmac", "digest" (a plain hash over a text with the secret in
	// it), "ed25519", "ecdsa", "rsa", "jwt", "token", "bearer", "basic", "ip",
	// "none" or "plugin". It is empty where Any or All hold the schemes.
	Type    string
	Secrets []Secret // or public keys: what the signature is checked with; any may match
	From    []Source // where signatures are; any one may match
	Prefix  string
	// PrefixOptional: a value without the prefix is taken as it is.
	PrefixOptional bool
	List           *List
	Encoding       string // "hex", "base64", "base64url"
	AnyCase        bool   // hex in any letter case
	RepeatAny      bool   // two lines of the signature header are tried each
	Hash           string // "sha1", "sha256", "sha384", "sha512", "md5"
	Padding        string // rsa: "pkcs1v15", "pss"
	Form           string // ecdsa: "der", "p1363"
	Curve          string // ecdsa: "p256", "p384", "p521"; "" for the key's own
	Decode         Decoding
	Timestamp      *Timestamp
	ID             *Source
	Content        []Part
	URLNormalize   string // "twilio", "hubspot": several spellings of the URL are tried
	Items          string // JSON Pointer with *: every element is signed by itself
	BodyHash       *Hashed
	Algs           []string // jwt: the algorithms that count
	Claims         Claims   // jwt
	// JWS checks the tokens of type "jwt": jose.JWS{}. It stands here so that
	// only a receiver that needs a JOSE library is linked with one.
	JWS      JWS
	Networks []string // ip: CIDR
	Plugin   string   // the name of a verifier in Go
	Verifier Verifier // that verifier; whoever compiles puts it here
	Require  []Requirement
	Any      []Scheme // one member has to accept
	All      []Scheme // every member has to accept
}

// Secret names a secret or a public key; its value comes from a provider at start.
type Secret struct {
	Name  string
	Until time.Time // zero: for ever
}

// Source is where a value is read from.
type Source struct {
	// In is "header", "query", "form", "json", "item", "element" (of the list
	// of signatures), "param" or "method".
	In   string
	Name string // header, query, form, param, element name or index; JSON Pointer for json and item
}

// List describes a header with several elements.
type List struct {
	Separator string
	Name      string // between name and value; "" for elements without names
	Tags      []string
	Skip      int
	Trim      bool
}

// Decoding says how the text of a secret or public key becomes key bytes.
type Decoding struct {
	// Encoding is "utf8", "base64", "hex"; of public keys "pem", "x509-pem",
	// "spki-der-base64", "raw-hex", "raw-base64", "jwk" (also a set of them).
	Encoding    string
	StripPrefix string
	PreHash     string
}

// Timestamp is the signed time. Tolerances are inclusive; NoTolerance skips the
// check of the past, and with it that of the future unless FutureTolerance is
// above zero; a negative FutureTolerance skips that one alone.
type Timestamp struct {
	From            Source
	Format          string // "unix", "unix_ms", "unix_us", "rfc3339", "http_date"
	Tolerance       time.Duration
	FutureTolerance time.Duration
	NoTolerance     bool
}

// Part is a piece of the signed content: literal text, a placeholder ("body",
// "timestamp", "id", "method", "path", "url" (the public one), "secret",
// "crc32:body", "sha256:body"), a Source, or a list of Fields.
type Part struct {
	Text        string
	Placeholder string
	Source      *Source
	Fields      *Fields
}

// Fields are members of a form body, or the scalars at the root of a JSON body.
type Fields struct {
	From     string   // "form", "json"
	Names    []string // in this order; empty: all, sorted by name as bytes
	Each     string   // "{k}{v}": how one is written
	Sep      string
	Exclude  []string
	Unique   bool   // a field may be repeated; its values count once each, sorted
	SecretAs string // the secret takes part as a field of this name
}

// Hashed is a hash of the body that the request carries, or that a claim does.
type Hashed struct {
	From     Source // BodyHash
	Claim    string // Claims
	Hash     string
	Encoding string
	// AbsentWhenEmpty: without a body there must be no hash, with one there must.
	AbsentWhenEmpty bool
}

// Claims is what a token has to say. A claim that is declared is required.
type Claims struct {
	BodyHash  *Hashed
	URLHash   *Hashed // of the public URL
	MaxAge    *MaxAge
	NotBefore bool          // nbf
	Expires   bool          // exp
	Leeway    time.Duration // of nbf and exp
	Equals    []Claim
}

// MaxAge bounds the age of a token by a claim that holds Unix seconds.
type MaxAge struct {
	Claim           string
	Tolerance       time.Duration
	FutureTolerance time.Duration
}

// Claim pins the value of a claim: its text, or one of a list's texts (`aud`).
type Claim struct{ Name, Value string }

// Requirement pins a value, such as a version tag. Checked before anything else.
type Requirement struct {
	From   Source
	Equals string // text, or {param:NAME}
}

// Keys lists every secret and key of the scheme, those of its members after its
// own: the order in which Compile takes their values and Result.Secret counts.
func (s Scheme) Keys() []Secret {
	all := s.Secrets[:len(s.Secrets):len(s.Secrets)]
	for _, m := range s.members() {
		all = append(all, m.Keys()...)
	}
	return all
}

func (s Scheme) members() []Scheme { return append(s.Any[:len(s.Any):len(s.Any)], s.All...) }
