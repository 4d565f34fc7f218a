package engine

import (
	"fmt"
	"strings"
)

// UnreachableError says that a server gave no usable HTTP answer at all.
type UnreachableError struct {
	URL string
	Err error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("cannot reach %s: %v; check that the server is up and that this worker may connect to it", e.URL, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

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
	// Status is the HTTP status; 200 where the refusal came inside a stream.
	Status int
	// Detail is a short, sanitised cause; it holds neither prompt nor key.
	Detail string
}

func (e *RefusedError) Error() string {
	msg := fmt.Sprintf("%s refused with HTTP %d", e.URL, e.Status)
	if e.Detail != "" {
		msg += " (" + e.Detail + ")"
	}
	return msg + "; " + e.next()
}

func (e *RefusedError) next() string {
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
