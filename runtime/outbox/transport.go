package outbox

import (
	"net/http"

	"github.com/whgen/whgen/runtime/internal/dial"
)

// errPrivate is what a downstream's address is refused with.
var errPrivate = dial.ErrPrivate

// newTransport is the one of a downstream: with limits of its own, and without
// private addresses unless the contract allows them.
func newTransport(private bool) *http.Transport { return dial.Transport(private, defaultAtOnce) }
