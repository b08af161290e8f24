-- +goose Up
-- One row an event: the PRIMARY KEY is what makes an event happen once. Times
-- are text in UTC, such as 2026-11-30T09:15:00.000Z.
CREATE TABLE bitrix_inbox_events (
  event_key TEXT NOT NULL PRIMARY KEY,
  event_type TEXT NOT NULL,
  payload_sha256 BLOB NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  response_status INTEGER NOT NULL,
  response_content_type TEXT,
  response_body BLOB,
  received_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;
CREATE INDEX bitrix_inbox_events_received_at ON bitrix_inbox_events (received_at);

-- Known keys that came with other content.
CREATE TABLE bitrix_inbox_conflicts (
  event_key TEXT NOT NULL,
  payload_sha256 BLOB NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 1,
  first_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  last_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  PRIMARY KEY (event_key, payload_sha256)
) STRICT;

-- Attempts that failed, one row a key.
CREATE TABLE bitrix_inbox_failures (
  event_key TEXT NOT NULL PRIMARY KEY,
  event_type TEXT NOT NULL,
  payload_sha256 BLOB NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 1,
  last_error TEXT NOT NULL,
  first_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  last_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;

-- Bodies that somebody will need.
CREATE TABLE bitrix_inbox_payloads (
  event_key TEXT NOT NULL PRIMARY KEY,
  content_type TEXT NOT NULL,
  body BLOB NOT NULL,
  stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;

-- Messages for the outside. The payload is bytes: every attempt sends the same.
CREATE TABLE bitrix_outbox_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_key TEXT NOT NULL,
  effect TEXT NOT NULL,
  element TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  target TEXT,
  payload BLOB NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  interrupted INTEGER NOT NULL DEFAULT 0,
  first_attempt_at TEXT,
  due_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  last_error TEXT,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  done_at TEXT,
  UNIQUE (event_key, effect, element)
) STRICT;
CREATE INDEX bitrix_outbox_messages_due_at ON bitrix_outbox_messages (due_at, id) WHERE status = 'pending';
CREATE INDEX bitrix_outbox_messages_unresolved ON bitrix_outbox_messages (status, id) WHERE status IN ('dead', 'uncertain');

-- Record effects: change. Numerics are text: no digit is lost.
CREATE TABLE portal_changes (
  event_key TEXT NOT NULL,
  effect TEXT NOT NULL,
  element TEXT NOT NULL,
  entity INTEGER NOT NULL,
  event TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  portal TEXT,
  UNIQUE (event_key, effect, element)
) STRICT;

-- +goose Down
DROP TABLE portal_changes;
DROP TABLE bitrix_outbox_messages;
DROP TABLE bitrix_inbox_payloads;
DROP TABLE bitrix_inbox_failures;
DROP TABLE bitrix_inbox_conflicts;
DROP TABLE bitrix_inbox_events;
