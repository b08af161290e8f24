// Package runtime is what generated webhook receivers call: the path of one
// delivery from the first byte to the answer, the same for every contract.
//
// A generated package hands NewReceiver a Definition (literals: endpoints, selectors,
// effects, answers) and a Store (its database). What comes back is a *Receiver:
// an http.Handler that verifies the signature over the raw bytes, reads type
// and event key, computes the fingerprint, and runs one transaction per event
// through the Store; it answers only after a confirmed commit. Run drives the
// outbox relay, Serve a whole process.
//
// The outcomes and what each promises stand in docs/semantics.md. Nothing in
// this package logs or answers secrets, signatures, credentials or bodies.
//
// All exported types are safe for concurrent use unless they say otherwise.
package runtime
