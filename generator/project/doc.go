// Package project does what a verb of the command asks for: it reads whgen.yaml
// and the contracts, makes plans and files, runs sqlc where that is needed, and
// compares or writes the tree. It prints nothing and ends no process.
package project
