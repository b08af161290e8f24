// Package quickstart shows a receiver at work: it generates one from a contract
// that is embedded here, builds it with a program that delivers to it, and runs
// that on embedded SQLite in a temporary folder.
package quickstart
