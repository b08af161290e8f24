package check

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	whrt "github.com/whgen/whgen/runtime"
)

// Receiver is one generated package as the check needs it.
type Receiver struct {
	Definition whrt.Definition
	Migrate    func(context.Context, *sql.DB) error
	Store      func(*sql.DB) whrt.Store
	// Written decodes a body into the payload type of an event, by the event's
	// name, and writes it again.
	Written map[string]func(body []byte) ([]byte, error)
}

// Written reads a body into T and writes what it has read.
func Written[T any](body []byte) ([]byte, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("decode into %T: %w", v, err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write %T: %w", v, err)
	}
	return text, nil
}

// Handled is what the handlers of the check do: the payload that a handler is
// given must be the body that was delivered.
func Handled[T any](e whrt.Incoming[T]) error {
	text, err := json.Marshal(e.Payload)
	if err != nil {
		return fmt.Errorf("write the payload of %s: %w", e.Meta.Name, err)
	}
	return same(e.Meta.Body, text)
}
