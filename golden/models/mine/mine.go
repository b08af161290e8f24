// Package mine holds payload types that were there before the receiver.
package mine

// OrderPaid is the whole body of an event.
type OrderPaid struct {
	ID     string `json:"id"`
	Amount int    `json:"amount"`
}

// Money is a part of several bodies.
type Money struct {
	Cents    int64  `json:"cents"`
	Currency string `json:"currency,omitempty"`
}
