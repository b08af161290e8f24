package runtime

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a JSON value as it came, for events whose schema is not known. Bodies
// that are no JSON are []byte.
type Raw = jsontext.Value

// Meta is what is known of a delivery beside its payload.
type Meta struct {
	Source     string
	Key        string // encoded event key
	Type       string // as on the wire
	Name       string // of the event in the contract
	Endpoint   string // "" for the only one
	Tenant     string // as in the key, "" without
	ReceivedAt time.Time
	Body       []byte      // as received, decompressed; not to be changed
	Header     http.Header // without credentials and signatures; not to be changed
}

// Incoming is an event as a handler gets it.
type Incoming[P any] struct {
	Meta    Meta
	Payload P
}

// MetaOf describes the delivery for a handler.
func MetaOf(def *Definition, d *Delivery) Meta {
	m := Meta{
		Source: def.Source, Key: d.Key, Type: d.Type, Endpoint: d.Endpoint, Tenant: d.Tenant,
		ReceivedAt: d.ReceivedAt, Body: d.Body, Header: d.Header,
	}
	if d.Event >= 0 && d.Event < len(def.Events) {
		m.Name = def.Events[d.Event].Name
	}
	return m
}

// NewIncoming decodes the delivery's document into P. Its error is a rejection: a
// body that the payload type cannot hold will not fit the next time either.
func NewIncoming[P any](def *Definition, d *Delivery) (Incoming[P], error) {
	in := Incoming[P]{Meta: MetaOf(def, d)}
	if raw, ok := any(&in.Payload).(*[]byte); ok {
		*raw = d.Body
		return in, nil
	}
	err := Decode(d.Document, &in.Payload)
	return in, err
}

// Decode reads a JSON body into p, leniently: unknown members are left to p's
// own catch-all, names match exactly. Its error is a RejectError that names the
// JSON Pointer of what does not fit, and quotes nothing.
func Decode(body []byte, p any) error {
	if r, ok := p.(*Raw); ok {
		*r = Raw(body)
		return nil
	}
	err := json.Unmarshal(body, p)
	if err == nil {
		return nil
	}
	return &RejectError{Reason: decodeReason(err)}
}

// Protect calls a piece of user code and turns a panic, also panic(nil) and
// runtime.Goexit, into a *PanicError. It runs f on a goroutine of its own, so
// that a Goexit ends that one only.
func Protect(f func() error) (err error) {
	done := make(chan error, 1)
	go func() {
		finished := false
		var result error
		defer func() {
			if finished {
				done <- result
				return
			}
			v := recover()
			done <- &PanicError{Value: v, Stack: debug.Stack()}
		}()
		result = f()
		finished = true
	}()
	return <-done
}

func decodeReason(err error) string {
	pointer := errorPointer(err)
	if pointer == "" {
		return "the body does not fit the payload type"
	}
	return fmt.Sprintf("the value at %s does not fit the payload type", shorten(pointer, 200))
}

func errorPointer(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return string(semantic.JSONPointer)
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return string(syntax.JSONPointer)
	}
	return ""
}
