package main

import (
	whrt "github.com/whgen/whgen/runtime"
	"github.com/whgen/whgen/runtime/signature"
)

// declaration is what the generator has written for one sender.
type declaration struct {
	scheme      signature.Scheme
	items       string
	key         []whrt.Selector
	fingerprint whrt.Members
	challenges  []whrt.Challenge
}

// declared is filled by declared_gen.go, which the test writes.
var declared = map[string]declaration{}
