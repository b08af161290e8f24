-- +goose Up
-- Ours: filled by the handler in handler.go.
CREATE TABLE pushes (
  event_key TEXT NOT NULL PRIMARY KEY,
  repository TEXT NOT NULL,
  branch TEXT NOT NULL,
  head TEXT NOT NULL,
  commits INTEGER NOT NULL
) STRICT;
