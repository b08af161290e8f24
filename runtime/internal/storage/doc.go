// Package storage holds what the driver packages share: what SQLSTATEs mean,
// how an error is told without a payload in it, the comparison of a schema with
// what the receiver needs, and what is remembered of a handler's statements.
package storage
