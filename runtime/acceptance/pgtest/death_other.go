//go:build !linux

package pgtest

import "os/exec"

// startUntilDeath starts the process; only Linux can tie its life to ours.
func startUntilDeath(c *exec.Cmd) error { return c.Start() }
