// Package dial holds the transport for calls to the outside, and what keeps
// them from leading inside.
package dial
