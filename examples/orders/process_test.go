package orders_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// process is one life of a receiver.
type process struct {
	*trial
	addr  string
	log   string
	cmd   *exec.Cmd
	ended chan struct{}
}

// start starts a receiver on a port of its own: a client never meets a later
// life on a connection of an earlier one.
func (tr *trial) start() *process {
	tr.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tr.Fatal(err)
	}
	p := &process{trial: tr, addr: l.Addr().String(), ended: make(chan struct{})}
	p.log = filepath.Join(tr.TempDir(), "log")
	log, err := os.Create(p.log)
	if err != nil {
		tr.Fatal(err)
	}
	defer log.Close()
	p.cmd = exec.Command(tr.program)
	p.cmd.Env = append(tr.env[:len(tr.env):len(tr.env)], "ADDR="+p.addr)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	_ = l.Close() // only now: the port is free for as short as can be
	if err := p.cmd.Start(); err != nil {
		tr.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
	}()
	tr.Cleanup(p.kill)
	tr.current.Store(p)
	return p
}

// kill is SIGKILL: the process can do nothing about it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// awaitReady waits until the receiver says so.
func (p *process) awaitReady() {
	p.Helper()
	p.until(time.Minute, func() bool {
		select {
		case <-p.ended:
			p.Fatalf("the receiver ended before it was ready: %s", p.tail())
		default:
		}
		answer, err := p.client.Get("http://" + p.addr + "/readyz")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, p.tail)
}

// tail is the end of the process's log.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}
