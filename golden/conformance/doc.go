// Package conformance is the one table of deliveries, faults and expected
// counts that every engine and driver has to pass, through receivers that whgen
// has generated: those of golden/credits and golden/habits. A test package
// brings the backends; Run runs the cases on one, on databases of their own,
// with the relay running against a fake outside, and in processes of their own
// where a case kills or doubles the receiver.
package conformance
