// Package jose reads and makes the tokens of schemes of type "jwt": compact
// JSON Web Signatures (RFC 7515) with keys in PEM or as JSON Web Keys.
//
// It stands apart from package signature so that only receivers that need it
// are linked with github.com/go-jose/go-jose: a maintained JOSE library that
// has nothing but the standard library below it, wants the accepted algorithms
// by name before it looks at a token, and reads JSON Web Keys and sets of them.
// It is strict beyond the library: canonical base64url, no critical extension,
// a key of a kid only for tokens that name it, keys past their expiry refused.
package jose
