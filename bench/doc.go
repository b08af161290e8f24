// Command bench compares the generated receiver of examples/orders with two
// receivers that a good engineer writes by hand, one on database/sql and one on
// pgx, on the same PostgreSQL in one run: A B C, A B C, A B C.
//
// Each receiver is a process of its own, so that its CPU can be told from the
// load's; all of them verify the same signature, store the same rows and answer
// the same bytes. After each cell the rows are counted: a receiver that lost or
// doubled an event fails the run. Ratios of one run are what counts; absolute
// figures change with the machine and its neighbours.
//
//	go run ./bench -quick
package main
