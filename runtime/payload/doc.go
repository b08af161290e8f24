// Package payload is what generated payload types are made of: a lenient,
// lossless reading of JSON bodies. How a type is read is found out once, from its tags.
//
// A sender breaks its own document all the time, and an event must not be lost
// for it. So a member whose value does not fit its type is kept as it came in
// the Rest of the object around it, the typed field stays empty, and the
// deviation is reported; unknown members are kept in the same place. Written
// back, a value equals the one that was read.
//
// Decoded values alias the body, which must not be changed afterwards. Nothing
// here is safe for concurrent writing; values may be read concurrently.
package payload
