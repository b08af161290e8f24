package quickstart

import (
	"bytes"
	"os"
	"testing"
)

func TestContractIsTheExamples(t *testing.T) {
	want, err := os.ReadFile("../../examples/orders/contracts/orders.openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contract, want) {
		t.Error("orders.openapi.yaml differs from the one in examples/orders: copy it")
	}
}
