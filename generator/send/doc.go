// Package send delivers a contract's events to a receiver as their sender
// would: sampled bodies, signed, once, repeated, at once, and wrong on purpose.
//
//	deliveries.go   options -> the deliveries to make, with what each must get
//	batch.go        several events in one request
//	scheme.go       the contract's scheme as package signature has it
//	sign.go         one signed HTTP request
//	keys.go         what it is signed with, right or wrong
//	guard.go        which addresses may be called, judged at the connection
//	run.go          makes them, and measures
//	result.go       what came of it
//
// Secrets come from a look-up by name; they are in no result and no error.
package send
