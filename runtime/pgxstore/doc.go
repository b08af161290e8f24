// Package pgxstore keeps a receiver's events in PostgreSQL through pgx. It
// controls transactions, pipelines statements and tells what errors mean; the
// statements themselves are the generated package's.
//
// An event without a handler is one statement, so one round trip. With a
// handler BEGIN and the claim are one, the enqueued messages and COMMIT
// another, and the handler's own come between them. A repeat is one.
//
// Behind a pooler in transaction mode the pool needs
// default_query_exec_mode=cache_describe.
package pgxstore
