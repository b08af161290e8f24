// Package pgtest gives tests a PostgreSQL of their own: it starts one from the
// installed binaries in a temporary folder, on a Unix socket only, as an
// unprivileged user, and stops it when the test process ends, however it ends.
//
// WHGEN_TEST_POSTGRES_DSN names a server to use instead (the user must be
// allowed to create databases). Where neither is to be had a test is skipped
// with one line that says how to get one; WHGEN_TEST_REQUIRE=postgres makes
// that a failure.
package pgtest
