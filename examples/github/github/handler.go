package github

import (
	"context"
	"fmt"
	"strings"

	whrt "github.com/whgen/whgen/runtime"
)

// userHandler does what the contract does not declare. This file was written
// once by whgen and is yours to change.
type userHandler struct {
	UnimplementedHandler // answers `failed` for events that are added to the contract
}

// NewHandler makes the handler of this package's events.
func NewHandler() Handler { return &userHandler{} }

// Push notes how many commits came to which branch. It runs inside the
// transaction that claims the event: the row is there once, or not at all.
func (h *userHandler) Push(ctx context.Context, tx Tx, e whrt.Incoming[Push]) error {
	branch, ok := strings.CutPrefix(e.Payload.Ref, "refs/heads/")
	if !ok {
		return nil // a tag
	}
	_, err := tx.DB.ExecContext(ctx, "INSERT INTO pushes (event_key, repository, branch, head, commits) VALUES (?, ?, ?, ?, ?)",
		e.Meta.Key, e.Payload.Repository.FullName, branch, e.Payload.After, len(e.Payload.Commits))
	if err != nil {
		return fmt.Errorf("note a push: %w", err)
	}
	return nil
}
