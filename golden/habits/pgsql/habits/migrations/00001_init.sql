-- +goose Up
-- One row an event: the PRIMARY KEY is what makes an event happen once.
CREATE TABLE habits_inbox_events (
  event_key text COLLATE "C" NOT NULL PRIMARY KEY,
  event_type text NOT NULL,
  payload_sha256 bytea NOT NULL,
  status text NOT NULL,
  reason text,
  response_status integer NOT NULL,
  response_content_type text,
  response_body bytea,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX habits_inbox_events_received_at ON habits_inbox_events (received_at);

-- Known keys that came with other content.
CREATE TABLE habits_inbox_conflicts (
  event_key text COLLATE "C" NOT NULL,
  payload_sha256 bytea NOT NULL,
  deliveries bigint NOT NULL DEFAULT 1,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_key, payload_sha256)
);

-- Attempts that failed, one row a key.
CREATE TABLE habits_inbox_failures (
  event_key text COLLATE "C" NOT NULL PRIMARY KEY,
  event_type text NOT NULL,
  payload_sha256 bytea NOT NULL,
  attempts bigint NOT NULL DEFAULT 1,
  last_error text NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now()
);

-- Bodies that somebody will need.
CREATE TABLE habits_inbox_payloads (
  event_key text COLLATE "C" NOT NULL PRIMARY KEY,
  content_type text NOT NULL,
  body bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);

-- Messages for the outside. The payload is bytes: every attempt sends the same.
CREATE TABLE habits_outbox_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  idempotency_key text NOT NULL,
  target text,
  payload bytea NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  attempts integer NOT NULL DEFAULT 0,
  interrupted boolean NOT NULL DEFAULT false,
  first_attempt_at timestamptz,
  due_at timestamptz NOT NULL DEFAULT now(),
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  done_at timestamptz,
  UNIQUE (event_key, effect, element)
);
CREATE INDEX habits_outbox_messages_due_at ON habits_outbox_messages (due_at, id) WHERE status = 'pending';
CREATE INDEX habits_outbox_messages_unresolved ON habits_outbox_messages (status, id) WHERE status IN ('dead', 'uncertain');

-- Record effects: fact.
CREATE TABLE facts (
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  UNIQUE (event_key, effect, element)
);

-- Record effects: failing.
CREATE TABLE failing_items (
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  label text NOT NULL,
  whole bigint NOT NULL,
  CONSTRAINT failing_items_label_key UNIQUE (label),
  UNIQUE (event_key, effect, element)
);

-- Record effects: item.
CREATE TABLE items (
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  label text NOT NULL,
  whole bigint NOT NULL,
  price numeric,
  open boolean,
  at timestamptz,
  since timestamptz,
  day date,
  raw json,
  data bytea,
  note text NOT NULL,
  UNIQUE (event_key, effect, element)
);

-- Record effects: kept.
CREATE TABLE kept_items (
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  label text NOT NULL,
  whole bigint NOT NULL,
  CONSTRAINT kept_items_label_key UNIQUE (label),
  UNIQUE (event_key, effect, element)
);

-- Record effects: rejected.
CREATE TABLE rejected_items (
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  label text NOT NULL,
  whole bigint NOT NULL,
  CONSTRAINT rejected_items_label_key UNIQUE (label),
  UNIQUE (event_key, effect, element)
);

-- Record effects: updated.
CREATE TABLE updated_items (
  event_key text COLLATE "C" NOT NULL,
  effect text COLLATE "C" NOT NULL,
  element text COLLATE "C" NOT NULL,
  label text NOT NULL,
  whole bigint NOT NULL,
  CONSTRAINT updated_items_label_key UNIQUE (label),
  UNIQUE (event_key, effect, element)
);

-- +goose Down
DROP TABLE updated_items;
DROP TABLE rejected_items;
DROP TABLE kept_items;
DROP TABLE items;
DROP TABLE failing_items;
DROP TABLE facts;
DROP TABLE habits_outbox_messages;
DROP TABLE habits_inbox_payloads;
DROP TABLE habits_inbox_failures;
DROP TABLE habits_inbox_conflicts;
DROP TABLE habits_inbox_events;
