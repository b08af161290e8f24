// Package lock reads and writes whgen.lock: what was generated from what.
//
// A lock is written beside each receiver. It lists digests, one a line and
// sorted, so that two branches merge by lines. With it the generator tells a
// file that somebody edited from one that is merely old, knows migrations that
// must not change, and does not start sqlc where its inputs are what they were.
package lock
