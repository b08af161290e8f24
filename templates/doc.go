// Package templates holds what is more than two thirds constant in a generated
// package: SQL for each engine, sqlc.yaml and the store adapter. A template is
// named after the file that it makes. The generator executes them with a view
// of its plan; no template decides anything.
//
// Folder postgres serves both PostgreSQL drivers; pgsql holds what differs for
// database/sql, where a statement cannot take arrays without a driver's help.
package templates
