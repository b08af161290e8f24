// Package sqlcrun compiles queries to Go with sqlc, which is linked in: nobody
// has to install it.
//
// sqlc's public entry ends the whole process when it refuses a query, and
// prints to the process's own output. So Run starts the running executable once
// more, as a child that does nothing but call sqlc, and reads what it says. A
// program that links this package becomes that child when it finds
// WHGEN_SQLC_CHILD in its environment, before its main begins.
package sqlcrun
