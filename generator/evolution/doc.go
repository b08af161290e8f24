// Package evolution makes the next migration of a receiver.
//
// Migrations that exist may have been applied, so they are never changed. Next
// reads what tables they make, compares that with what the contract needs now,
// and writes the difference as one more migration, or says why it must not be
// written. It is pure: texts in, texts out.
//
// The state is read from the migrations themselves, not from a copy in
// whgen.lock: what somebody has added or edited there is in the database too. The
// reader knows the statements that shape tables and passes over all others. A
// library that does this from a live "dev database" (atlas) would ask for a
// PostgreSQL server at generation.
package evolution
