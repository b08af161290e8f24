package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// cell is one measurement: what is delivered, over how many connections.
type cell struct {
	traffic     string // "new" or "repeat"
	connections int
	duration    time.Duration
}

// figures are what a cell gave.
type figures struct {
	requests    int64
	perSecond   float64
	p50, p99    time.Duration
	receiverCPU time.Duration // per request
	databaseCPU time.Duration // per request
	loadCPU     time.Duration // per request: of the client that they share
}

// load delivers for the cell's duration and returns the latencies of each request.
func load(address, prefix string, secret []byte, c cell, next *atomic.Int64, known int64) ([]time.Duration, error) {
	stop := time.Now().Add(c.duration)
	results := make([][]time.Duration, c.connections)
	errs := make([]error, c.connections)
	var group sync.WaitGroup
	for i := range c.connections {
		group.Go(func() { results[i], errs[i] = client(address, prefix, secret, c, next, known, stop) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	all := slices.Concat(results...)
	slices.Sort(all)
	return all, nil
}

// client is one connection: a request at a time, no HTTP client between, so
// that the load costs as little CPU as it can.
func client(address, prefix string, secret []byte, c cell, next *atomic.Int64, known int64, stop time.Time) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	var took []time.Duration
	for time.Now().Before(stop) {
		n := next.Add(1)
		if c.traffic == "repeat" {
			n = n%known + 1
		}
		request := delivery(prefix, secret, n)
		start := time.Now()
		if _, err := conn.Write(request); err != nil {
			return nil, err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
		if answer.StatusCode != 200 || !bytes.Equal(body, okAnswer) {
			return nil, fmt.Errorf("deliver event %d: status %d, body %q", n, answer.StatusCode, body)
		}
	}
	return took, nil
}

var lines = strings.Repeat(`{"sku":"tea-100","quantity":2,"price":1995},`, 35) + `{"sku":"mug-1","quantity":1,"price":1000}`

// delivery is a signed request of about 2 kB for event n.
func delivery(prefix string, secret []byte, n int64) []byte {
	body := fmt.Sprintf(`{"event_id":"evt_%s_%d","type":"order.created","attempt":1,"created_at":"2026-11-30T09:15:00Z","order":{"id":"o-%s-%d","total":{"amount":4990,"currency":"EUR"},"customer":{"name":"Ada","email":"ada@example.com"},"lines":[%s]}}`,
		prefix, n, prefix, n, lines)
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(at + "." + body))
	return fmt.Appendf(nil, "POST /webhooks/shop HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nX-Shop-Signature: t=%s,v1=%s\r\nContent-Length: %d\r\n\r\n%s",
		at, hex.EncodeToString(mac.Sum(nil)), len(body), body)
}

// quantile of sorted latencies; 0 without any.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
