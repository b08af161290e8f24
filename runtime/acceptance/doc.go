// Package acceptance runs the acceptance protocol against a generated receiver
// on a real, empty database. What is expected stands in the generated test
// before anything runs; the steps and their counting are here. What the test
// needs of the user (own tables, handler, what to count) is a Setup, which a
// scaffolded file gives.
package acceptance
