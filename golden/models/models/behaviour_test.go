package models

import (
	"context"
	"strings"
	"testing"

	whrt "github.com/whgen/whgen/runtime"

	"github.com/whgen/whgen/golden/models/mine"
	"github.com/whgen/whgen/runtime/payload"
)

type keeping struct {
	UnimplementedHandler
	paid mine.OrderPaid
}

func (k *keeping) OrderPaid(_ context.Context, _ Tx, e whrt.Incoming[mine.OrderPaid]) error {
	k.paid = e.Payload
	return nil
}

func TestHandlerGetsTheUsersType(t *testing.T) {
	k := &keeping{}
	d := &whrt.Delivery{Event: 0, Document: []byte(`{"id":"e1","type":"order.paid","amount":7,"more":1}`)}
	if err := dispatch(t.Context(), k, Tx{}, d); err != nil {
		t.Fatal(err)
	}
	if want := (mine.OrderPaid{ID: "e1", Amount: 7}); k.paid != want {
		t.Errorf("got %+v, want %+v", k.paid, want)
	}
}

func TestWhatTheUsersTypeCannotHoldIsRejected(t *testing.T) {
	d := &whrt.Delivery{Event: 0, Document: []byte(`{"id":"e1","type":"order.paid","amount":"seven"}`)}
	err := dispatch(t.Context(), &keeping{}, Tx{}, d)
	if err == nil || !strings.Contains(err.Error(), "/amount") {
		t.Errorf("got %v, want an error at /amount", err)
	}
}

func TestUsersTypeInsideAGeneratedOne(t *testing.T) {
	body := `{"id":"e1","type":"order.sent","price":{"cents":5},"refund":{"cents":"odd"},"parts":[{"cents":1,"currency":"NOK"}]}`
	var sent OrderSent
	deviations, err := payload.Decode([]byte(body), &sent, payload.Value[OrderSent])
	if err != nil {
		t.Fatal(err)
	}
	if sent.Price.Cents != 5 || sent.Refund != nil || sent.Parts[0] != (mine.Money{Cents: 1, Currency: "NOK"}) {
		t.Errorf("decoded %+v", sent)
	}
	if len(deviations) != 1 || deviations[0].Pointer != "/refund" {
		t.Errorf("deviations %v, want one at /refund", deviations)
	}
	want := `{"id":"e1","parts":[{"cents":1,"currency":"NOK"}],"price":{"cents":5},"type":"order.sent","refund":{"cents":"odd"}}`
	if got := string(payload.Append(nil, &sent)); got != want {
		t.Errorf("written back as\n%s\nwant\n%s", got, want)
	}
}
