package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
)

// process is one life of a receiver.
type process struct {
	*bench
	url   string
	cmd   *exec.Cmd
	said  *bufio.Reader
	ended chan struct{}
}

// start starts a receiver of its own on the bench's database, and returns when it serves.
func (b *bench) start(l life) *process {
	b.Helper()
	l.Backend = b.backend.Name
	if l.DSN == "" {
		l.DSN = b.dsn
	}
	if l.Warehouse == "" {
		l.Warehouse = b.warehouse.url
	}
	text, err := json.Marshal(l)
	b.must(err)
	self, err := os.Executable()
	b.must(err)
	p := &process{bench: b, cmd: exec.Command(self), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), lifeVariable+"="+string(text))
	p.cmd.Stderr = b.log
	stdin, err := p.cmd.StdinPipe()
	b.must(err)
	stdout, out, err := os.Pipe() // not StdoutPipe: Wait would close it
	b.must(err)
	p.cmd.Stdout, p.said = out, bufio.NewReader(stdout)
	b.must(p.cmd.Start())
	_ = out.Close()
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
	}()
	b.Cleanup(func() {
		p.kill()
		_ = stdin.Close()
		_ = stdout.Close()
	})
	p.url = p.line()
	return p
}

// line is the next line that the process says.
func (p *process) line() string {
	p.Helper()
	text, err := p.said.ReadString('\n')
	if err != nil {
		<-p.ended
		p.Fatalf("the receiver's process ended: the end of its log:\n%s", p.log.tail())
	}
	return text[:len(text)-1]
}

// kill is SIGKILL: the process can do nothing about it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// counted is how often the process has answered with each outcome.
func (p *process) counted() map[string]int {
	p.Helper()
	resp, err := client.Get(p.url + "/counters")
	p.must(err)
	defer func() { _ = resp.Body.Close() }()
	counts := map[string]int{}
	p.must(json.NewDecoder(resp.Body).Decode(&counts))
	return counts
}

// fuse makes the process kill itself ahead of its nth statement from now.
func (p *process) fuse(n int) {
	p.Helper()
	resp, err := client.Get(fmt.Sprintf("%s/fuse?n=%d", p.url, n))
	p.must(err)
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.Fatalf("fuse: status %d", resp.StatusCode)
	}
}

// alive reports whether the process still runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}
