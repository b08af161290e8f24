// Package whgen holds what is true of the whole module: the test of who may
// import whom. The command is in cmd/whgen, what generated code calls in runtime.
package whgen
