package pgtest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// startUntilDeath starts a process that is killed when this one dies, however
// it dies. The kernel watches the thread that started it, so that thread is
// kept for as long as the process runs.
func startUntilDeath(c *exec.Cmd) error {
	c.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			select {} // parked for ever: the thread must not end before the process
		}
	}()
	return <-started
}
