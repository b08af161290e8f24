// Package storage holds what the driver packages share: what SQLSTATEs mean,
// how an error is told without a payload in it, and the comparison of a schema
// with what the receiver needs.
package storage
