//go:build race

package signature

// The race detector makes pools forget at random.
func init() { allowedAllocations = 20 }
