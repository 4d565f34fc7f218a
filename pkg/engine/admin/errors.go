package admin

import (
	"errors"
	"fmt"
	"net/http"
)

var (
	// ErrRefused means that the engine understood and refused, or that the request would break a rule of its. Trying again does
	// not help.
	ErrRefused = errors.New("the engine refused the swap")
	// ErrUnsafe means that the method can leave the engine serving garbage, and was not permitted.
	ErrUnsafe = errors.New("the method of the swap is unsafe")
	// ErrNotProven means that the engine took the order, and what it serves is not what was ordered, or cannot be told. Before
	// anything else the model of before should be restored.
	ErrNotProven = errors.New("the swap is not proven")
	// ErrUnreachable means that the engine did not answer, or answered 5xx. Trying again may help.
	ErrUnreachable = errors.New("the engine's admin interface cannot be reached")
	// ErrUnsupported means that this engine, or this version or mode of it, cannot do what the method needs.
	ErrUnsupported = errors.New("the engine cannot swap in this way")
)

// errUnfinished means that a swap of several calls broke off between them: nothing will come of it by waiting.
var errUnfinished = errors.New("the swap broke off")

// statusError is an answer that is no success, or one that says in its body that it is none.
type statusError struct {
	kind   error
	call   string
	status int
	// message is the engine's own, shortened.
	message string
	next    string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%v: %s answered %d: %s; %s", e.kind, e.call, e.status, e.message, e.next)
}

func (e *statusError) Unwrap() error { return e.kind }

// newStatusError maps a reply to a kind of error. A 404 with a message of the engine's own is about an object; one without is
// about the route.
func newStatusError(call string, status int, message string) error {
	e := &statusError{kind: ErrRefused, call: call, status: status, message: message, next: "correct what it names"}
	switch {
	case status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented, status == http.StatusNotFound && message == "":
		e.kind, e.next = ErrUnsupported, "start the engine with its admin interface enabled, or use a version that has it"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.next = "check in_place.admin_token"
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		e.kind, e.next = ErrUnreachable, "look for the cause in the engine's log"
	}
	if e.message == "" {
		e.message = http.StatusText(status)
	}
	return e
}

// statusOf is the HTTP status of an error, or 0.
func statusOf(err error) int {
	var e *statusError
	if errors.As(err, &e) {
		return e.status
	}
	return 0
}

// messageOf is what the engine said in a refusal.
func messageOf(err error) string {
	var e *statusError
	if errors.As(err, &e) {
		return e.message
	}
	return ""
}
