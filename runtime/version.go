package runtime

// IsAtLeastV0_1 is referenced by generated code that needs at least version 0.1
// of this package. If the compiler does not find such a constant, the runtime
// is older than the generator: go get -u github.com/whgen/whgen. These
// constants are never removed.
const IsAtLeastV0_1 = true
