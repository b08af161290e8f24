// Package signature verifies and makes webhook signatures from a declaration.
//
// A Scheme says where signatures stand, how they are written and what they are
// over. Compile turns it and the texts of its secrets into a Verifier, once;
// Sign is the inverse, for tests and for senders. Verification is strict where
// official libraries are often lax: one line of each header, canonical
// encodings, plain digits for times, both directions of the clock, full length,
// constant time, every active secret tried. Errors name places, never values.
//
// A further scheme is a function in the tables compilers and signers.
package signature
