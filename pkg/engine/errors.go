package engine

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// UnreachableError says that a server gave no usable HTTP answer at all.
type UnreachableError struct {
	URL string
	Err error
}

// errNoAnswer says that a connection was opened and closed again.
var errNoAnswer = errors.New("the server closed the connection without an answer")

func (e *UnreachableError) Error() string {
	if errors.Is(e.Err, errNoAnswer) {
		return fmt.Sprintf("%s: %v; check the port, whether the URL must begin with http:// or https://, and whether the server has crashed",
			e.URL, e.Err)
	}
	return fmt.Sprintf("cannot reach %s: %v; check that the server is up and that this worker may connect to it", e.URL, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// hungUp reports whether err is that of a connection that was open and ended before the first byte of an answer.
func hungUp(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return false
	}
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// ModelMismatchError says that a server is up but does not serve the wanted model.
type ModelMismatchError struct {
	URL    string
	Want   string
	Served []string
}

func (e *ModelMismatchError) Error() string {
	served := "it lists no model"
	if len(e.Served) > 0 {
		served = "it serves " + strings.Join(e.Served, ", ")
	}
	return fmt.Sprintf("%s does not serve model %q: %s; correct the model name or load the model", e.URL, e.Want, served)
}

// RefusedError says that a server answered and did not do what was asked.
type RefusedError struct {
	URL string
	// Status is the HTTP status; below 400 where the answer is not what was asked for.
	Status int
	// Detail is a short, sanitised cause; it holds no key, and at most 120 bytes of an answer, escaped.
	Detail string
	// Next is what to do; by default what the status suggests.
	Next string
}

func (e *RefusedError) Error() string {
	did := "refused with"
	if e.Status < 400 {
		did = "answered with"
	}
	msg := fmt.Sprintf("%s %s HTTP %d", e.URL, did, e.Status)
	if e.Detail != "" {
		msg += " (" + e.Detail + ")"
	}
	return msg + "; " + e.next()
}

func (e *RefusedError) next() string {
	if e.Next != "" {
		return e.Next
	}
	switch e.Status {
	case 401, 403:
		return "check the api_key of this endpoint"
	case 404, 405:
		return "check that the URL is the base of an OpenAI-compatible server, without /v1"
	case 429, 503:
		return "the server is loading or overloaded; try again when it is ready"
	}
	return "look for the cause in the server's log"
}
