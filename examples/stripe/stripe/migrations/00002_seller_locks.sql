-- +goose Up
-- Ours: filled by the handler in handler.go.
CREATE TABLE seller_locks (
  event_key TEXT NOT NULL PRIMARY KEY,
  seller TEXT NOT NULL,
  locked_at TEXT NOT NULL
) STRICT;
CREATE INDEX seller_locks_seller ON seller_locks (seller);
