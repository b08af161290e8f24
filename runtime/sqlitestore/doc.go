// Package sqlitestore keeps a receiver's events in SQLite through database/sql,
// with any driver (modernc, mattn, ncruces).
//
// A process has one writer: transactions queue in memory, begin with BEGIN
// IMMEDIATE and run with synchronous = FULL and foreign_keys on. Known keys are
// answered by a read that does not queue. Statements inside a transaction are
// never interrupted, because an interrupt can roll back more than itself.
// Another process that holds the lock makes an attempt fail with ClassRetry;
// SQLite cannot tell which key it works on.
package sqlitestore
