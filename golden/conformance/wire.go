package conformance

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// wire is a proxy between receivers and PostgreSQL that counts statements (the
// protocol's Query and Execute messages) and can do something at one of them.
// Clients talk to it as to the server.
type wire struct {
	dsn    string // through the proxy
	server string // path of the server's socket

	mu    sync.Mutex
	left  int    // statements until act; 0: none
	act   func() // called once, with the statement not sent yet
	after bool   // send it, and what follows it, and let no answer back
	seen  int    // statements since arm
	cut   bool   // let nobody through
	conns map[net.Conn]bool
}

// newWire starts a proxy to the server of dsn, which is reached by a socket.
func newWire(t *testing.T, dsn string) *wire {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	w := &wire{server: filepath.Join(query.Get("host"), ".s.PGSQL.5432"), conns: map[net.Conn]bool{}}
	folder, err := os.MkdirTemp("", "whgen-wire-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	query.Set("host", folder)
	u.RawQuery = query.Encode()
	w.dsn = u.String()
	l, err := net.Listen("unix", filepath.Join(folder, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close()
		w.heal()
		w.close()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.serve(c)
		}
	}()
	return w
}

// arm makes the proxy call act ahead of the nth statement from now, and then cut
// the connections: before that statement, or after the server has had it and
// what was sent with it, without an answer.
func (w *wire) arm(n int, after bool, act func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.after, w.act, w.seen = n, after, act, 0
}

// statements counts since arm.
func (w *wire) statements() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// sever keeps everybody away from the server, until heal.
func (w *wire) sever() {
	w.mu.Lock()
	w.cut = true
	w.mu.Unlock()
	w.close()
}

func (w *wire) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.left = false, 0
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

// enter notes a connection; false: nobody is let through.
func (w *wire) enter(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[c] = true
	return !w.cut
}

func (w *wire) leave(c net.Conn) {
	_ = c.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
}

// statement counts one and reports whether it is the one.
func (w *wire) statement() (act func(), after, hit bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	if w.left == 0 {
		return nil, false, false
	}
	w.left--
	return w.act, w.after, w.left == 0
}

func (w *wire) serve(front net.Conn) {
	defer w.leave(front)
	if !w.enter(front) {
		return
	}
	back, err := net.Dial("unix", w.server)
	if err != nil {
		return
	}
	defer w.leave(back)
	if !w.enter(back) {
		return
	}
	silent := make(chan struct{}) // closed: answers are only watched for the server's being ready
	ready := make(chan struct{})
	go func() {
		defer close(ready)
		w.answers(front, back, silent)
		_ = front.Close()
	}()
	w.requests(front, back, silent, ready)
}

// requests passes on what the client says, message by message.
func (w *wire) requests(front, back net.Conn, silent, ready chan struct{}) {
	started, mute := false, false
	for {
		kind, text, err := message(front, started)
		if err != nil {
			return
		}
		if !started {
			started = true // clients of a socket do not ask for TLS; a request to cancel is all there is
		} else if kind == 'Q' || kind == 'E' {
			if act, after, hit := w.statement(); hit {
				if act != nil {
					act()
				}
				if !after {
					return
				}
				mute = true
				close(silent)
			}
		}
		if _, err := back.Write(text); err != nil {
			return
		}
		if mute && (kind == 'Q' || kind == 'S') {
			<-ready // the server has done it
			return
		}
	}
}

// answers passes on what the server says; once silent, it waits for it to be ready.
func (w *wire) answers(front, back net.Conn, silent chan struct{}) {
	for {
		kind, text, err := message(back, true)
		if err != nil {
			return
		}
		select {
		case <-silent:
			if kind == 'Z' {
				return
			}
			continue
		default:
		}
		if _, err := front.Write(text); err != nil {
			return
		}
	}
}

// message reads one: a byte of kind, unless it is a first one, and the length.
func message(r io.Reader, typed bool) (kind byte, text []byte, err error) {
	head := make([]byte, 5)
	if !typed {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	length := binary.BigEndian.Uint32(head[len(head)-4:])
	if length < 4 || length > 1<<26 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	text = make([]byte, len(head)+int(length)-4)
	copy(text, head)
	_, err = io.ReadFull(r, text[len(head):])
	return head[0], text, err
}
