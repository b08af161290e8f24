-- +goose Up
-- Ours: what was taken of each payment so far, filled by the handler in handler.go.
CREATE TABLE captured (
  payment TEXT NOT NULL PRIMARY KEY,
  minor_units INTEGER NOT NULL
) STRICT;
