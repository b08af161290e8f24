package spec

import "time"

// Scheme is a signature scheme: what a request has to prove.
type Scheme struct {
	Pos    Pos
	Preset string // the preset that brought it, "" without
	// Imported is the extension of the document that brought it, such as
	// "x-fern-webhook-signature"; Pos is where that stands. "" without.
	Imported string
	// Type is "hmac", "digest", "ed25519", "ecdsa", "rsa", "jwt", "token",
	// "bearer", "basic", "ip", "none" or "plugin"; empty with Any or All.
	Type           string
	Reason         string     // of type none
	Plugin         string     // of type plugin: the verifier's name
	Secrets        []Secret   // names of secrets, or of public keys (PublicKeys)
	From           []Selector // where signatures are; any one may match
	Prefix         string
	PrefixOptional bool
	List           *SignatureList
	Encoding       string // hex, base64, base64url
	AnyCase        bool   // case: any
	RepeatAny      bool   // repeat: any
	Hash           string // sha1, sha256, sha384, sha512, md5
	Padding        string // rsa: pkcs1v15, pss
	Form           string // ecdsa: der, p1363
	Curve          string // ecdsa: p256, p384, p521; "" for the key's own
	Decode         KeyDecoding
	Timestamp      *Timestamp
	ID             *Selector
	Content        *Template
	Require        []Condition // equals only; checked first
	URLNormalize   string      // twilio, hubspot, ""
	Items          string      // pointer with *: every element is signed by itself
	BodyHash       *BodyHash
	Algs           []string // jwt
	Claims         Claims   // jwt
	Networks       []string // ip: CIDR
	Any            []*Scheme
	All            []*Scheme
}

// Members are the schemes of any or all, nil for a single one.
func (s *Scheme) Members() []*Scheme {
	if len(s.Any) > 0 {
		return s.Any
	}
	return s.All
}

// PublicKeys reports whether the scheme is checked with public keys.
func (s *Scheme) PublicKeys() bool {
	switch s.Type {
	case "ed25519", "ecdsa", "rsa":
		return true
	case "jwt":
		return !symmetricAlgs(s.Algs)
	}
	return false
}

// Secret is the name of a secret or public key, never its value.
type Secret struct {
	Pos   Pos
	Name  string
	Until time.Time // zero: for ever
	Fetch *KeyFetch // of a public key: where it is fetched from; Name is that place
}

// KeyFetch is where public keys are published.
type KeyFetch struct {
	Pos   Pos
	URL   string        // fixed; "" where the request names it
	From  *Selector     // header, query or body; nil with URL
	Hosts []string      // allowed with From
	As    string        // jwk, x509-pem, pem
	Cache time.Duration // 0: the runtime's default
}

// SignatureList describes a header that holds several elements.
type SignatureList struct {
	Separator string
	Name      string // between name and value; "" for elements without names
	Tags      []string
	Skip      int // without names: the first elements that are no signatures
	Trim      bool
}

// KeyDecoding says how the text of a secret or public key becomes key bytes.
type KeyDecoding struct {
	Encoding    string // utf8, base64, hex; pem, x509-pem, spki-der-base64, raw-hex, raw-base64, jwk
	StripPrefix string
	PreHash     string
}

// Timestamp is the signed time.
type Timestamp struct {
	From            Selector
	Format          string        // unix, unix_ms, unix_us, rfc3339, http_date
	Tolerance       time.Duration // into the past; 0 with NoTolerance
	FutureTolerance time.Duration // 0 with NoFuture
	NoTolerance     bool          // tolerance: none
	NoFuture        bool          // futureTolerance: none
}

// Checked reports whether the time is held against the clock at all.
func (t *Timestamp) Checked() bool { return t != nil && !(t.NoTolerance && t.NoFuture) }

// BodyHash is a hash of the body that the request carries.
type BodyHash struct {
	From            Selector
	Hash            string
	Encoding        string
	AbsentWhenEmpty bool
}

// FieldList signs fields of a form, or scalars at the root of a JSON body.
type FieldList struct {
	Pos      Pos
	From     string   // form, json
	Names    []string // in this order; nil: all, sorted
	Each     string
	Sep      string
	Exclude  []string
	Unique   bool
	SecretAs string
}

// Claims is what a token has to say.
type Claims struct {
	BodyHash  *ClaimHash
	URLHash   *ClaimHash
	MaxAge    *MaxAge
	NotBefore bool
	Expires   bool
	Leeway    time.Duration
	Equals    []Claim
}

// ClaimHash is a claim that holds a hash.
type ClaimHash struct {
	Claim           string
	Hash            string
	Encoding        string
	AbsentWhenEmpty bool
}

// MaxAge bounds the age of a token by one of its claims.
type MaxAge struct {
	Claim           string
	Tolerance       time.Duration
	FutureTolerance time.Duration
}

// Claim pins a claim.
type Claim struct{ Name, Value string }
