package runtime

// Outcome is what a receiver decided about one attempt.
type Outcome int

// The outcomes. What each promises stands in docs/semantics.md.
const (
	Processed Outcome = iota
	Duplicate
	Conflict
	InProgress
	Failed
	Accepted
	Rejected
	Known
	Stale
	Ignored
	Unauthenticated
	Malformed
	TooLarge
	UnsupportedMedia
	MethodNotAllowed
	Challenged // a challenge of the sender was answered: no event
	outcomes
)

var outcomeNames = [outcomes]string{
	"processed", "duplicate", "conflict", "inProgress", "failed", "accepted", "rejected", "known",
	"stale", "ignored", "unauthenticated", "malformed", "tooLarge", "unsupportedMedia", "methodNotAllowed",
	"challenge",
}

// String is the contract's word for the outcome.
func (o Outcome) String() string {
	if o < 0 || o >= outcomes {
		return "unknown"
	}
	return outcomeNames[o]
}
