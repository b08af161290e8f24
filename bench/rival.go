package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// schema is what the rivals keep: the same rows as the generated receiver.
const schema = `
CREATE TABLE %[1]s_inbox (
	event_key text COLLATE "C" PRIMARY KEY, event_type text NOT NULL, payload_sha256 bytea NOT NULL, status text NOT NULL,
	response_status int NOT NULL, response_body bytea, received_at timestamptz NOT NULL DEFAULT now());
CREATE INDEX ON %[1]s_inbox (received_at);
CREATE TABLE %[1]s_orders (
	event_key text COLLATE "C" NOT NULL UNIQUE, external_order_id text NOT NULL UNIQUE, total_cents bigint NOT NULL,
	currency text NOT NULL, customer_email text, placed_at timestamptz NOT NULL);
CREATE TABLE %[1]s_outbox (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_key text COLLATE "C" NOT NULL, effect text NOT NULL,
	idempotency_key text NOT NULL, target text, payload bytea NOT NULL, status text NOT NULL DEFAULT 'pending', attempts int NOT NULL DEFAULT 0,
	due_at timestamptz NOT NULL DEFAULT now(), UNIQUE (event_key, effect));
CREATE INDEX ON %[1]s_outbox (due_at) WHERE status = 'pending';`

// statements are the rivals': a round trip each, prepared once a connection.
type statements struct{ claim, known, order, outbox string }

func statementsFor(prefix string) statements {
	return statements{
		claim: `INSERT INTO ` + prefix + `_inbox (event_key, event_type, payload_sha256, status, response_status, response_body)
			VALUES ($1, $2, $3, 'done', 200, $4) ON CONFLICT (event_key) DO NOTHING`,
		known: `SELECT payload_sha256, response_status, response_body FROM ` + prefix + `_inbox WHERE event_key = $1`,
		order: `INSERT INTO ` + prefix + `_orders (event_key, external_order_id, total_cents, currency, customer_email, placed_at)
			VALUES ($1, $2, $3, $4, $5, $6)`,
		outbox: `INSERT INTO ` + prefix + `_outbox (event_key, effect, idempotency_key, target, payload) VALUES ($1, $2, $3, $4, $5)`,
	}
}

// event is what the rivals decode.
type event struct {
	ID        string    `json:"event_id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Order     struct {
		ID    string `json:"id"`
		Total struct {
			Amount   int64  `json:"amount"`
			Currency string `json:"currency"`
		} `json:"total"`
		Customer struct {
			Email *string `json:"email"`
		} `json:"customer"`
	} `json:"order"`
}

// fingerprint leaves out the attempt counter, as the contract says.
func fingerprint(body []byte) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	delete(all, "attempt")
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// answer is a stored response.
type answer struct {
	status int
	body   []byte
}

var errConflict = errors.New("known key with another body")

// storing is the part in which the rivals differ.
type storing interface {
	// deliver returns the stored answer of a repeat, or stores a new event.
	deliver(ctx context.Context, e *event, sum []byte, confirmation, deal []byte) (answer, error)
}

// rival is the hand-written receiver: honest in what it checks.
type rival struct {
	secret []byte
	store  storing
}

var okAnswer = []byte(`{"ok":true}`)

func (r *rival) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if err := r.verify(q.Header.Get("X-Shop-Signature"), body); err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	sum, err := fingerprint(body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	confirmation, deal := messages(&e)
	got, err := r.store.deliver(q.Context(), &e, sum, confirmation, deal)
	switch {
	case errors.Is(err, errConflict):
		got = answer{http.StatusOK, okAnswer}
	case err != nil:
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(got.status)
	_, _ = w.Write(got.body)
}

func (r *rival) verify(header string, body []byte) error {
	var at, signature string
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			at = value
		case "v1":
			signature = value
		}
	}
	sec, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return err
	}
	if d := time.Since(time.Unix(sec, 0)); d > 5*time.Minute || d < -5*time.Minute {
		return errors.New("timestamp out of range")
	}
	mac := hmac.New(sha256.New, r.secret)
	mac.Write([]byte(at))
	mac.Write([]byte{'.'})
	mac.Write(body)
	got, err := hex.DecodeString(signature)
	if err != nil || !hmac.Equal(got, mac.Sum(nil)) {
		return errors.New("wrong signature")
	}
	return nil
}

// messages renders the two outbox payloads.
func messages(e *event) (confirmation, deal []byte) {
	if e.Order.Customer.Email != nil {
		confirmation, _ = json.Marshal(map[string]any{"order": e.Order.ID, "email": *e.Order.Customer.Email,
			"text": fmt.Sprintf("Thank you for order %s.", e.Order.ID)})
	}
	deal, _ = json.Marshal(map[string]any{"title": "Order " + e.Order.ID, "amount": e.Order.Total.Amount,
		"currency": e.Order.Total.Currency})
	return confirmation, deal
}
