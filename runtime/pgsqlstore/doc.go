// Package pgsqlstore keeps a receiver's events in PostgreSQL through
// database/sql, with any driver whose errors have an SQLState method (pgx's
// stdlib, lib/pq). An event without a handler is one statement; with a handler
// BEGIN, the claim, the enqueued messages and COMMIT are a round trip each,
// because database/sql has no pipelines: package pgxstore has.
package pgsqlstore
