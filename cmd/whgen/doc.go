// Command whgen generates idempotent webhook receivers from contracts.
//
// This package holds flags, printing and exit codes: 0 fine, 1 findings, 2 could
// not run. What the verbs do stands in generator/project and
// generator/quickstart.
package main
