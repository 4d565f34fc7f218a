package control

import "fmt"

// UnreachableError says that something a command needs does not answer: Temporal, its namespace or a worker.
type UnreachableError struct {
	// What does not answer, and where.
	What string
	// Next is what a person can do about it.
	Next string
	Err  error
}

func (e *UnreachableError) Error() string {
	if e.Err == nil {
		return e.What
	}
	return fmt.Sprintf("%s: %v", e.What, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// RefusedError says that what was asked cannot be done as things stand: a second start, an update with nothing to
// decide, a run that does not exist.
type RefusedError struct {
	Message string
	// Next is what a person can do instead.
	Next string
}

func (e *RefusedError) Error() string { return e.Message }
