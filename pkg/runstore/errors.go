package runstore

import (
	"context"
	"errors"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// Kinds of failure; test with errors.Is.
var (
	// ErrNotFound says that there is no such object.
	ErrNotFound = errors.New("no such object")
	// ErrNoBucket says that the bucket does not exist. Buckets are created by people, never by swapgate.
	ErrNoBucket = errors.New("no such bucket; create it, or correct store.bucket")
	// ErrDenied says that the service refuses the credentials, or what they may do.
	ErrDenied = errors.New("access denied; check the store's credentials and their rights to get, put, list and delete")
	// ErrUnavailable says that the service could not be reached or could not serve; trying again may help.
	ErrUnavailable = errors.New("run store unavailable")
	// ErrCorrupt says that an object is not what its reference or its checksum says, or that the records of a block
	// are not those that were planned.
	ErrCorrupt = errors.New("corrupt data")
)

// Error is a failed operation on one object or prefix.
type Error struct {
	// Op is what was tried: get, put, list, delete, check, seal, ….
	Op string
	// URI is s3://bucket/key.
	URI string
	// Kind is one of the sentinels of this package, or nil for anything else.
	Kind error
	// Cause is what the service, the network or a check said; nil if Kind says it all.
	Cause error
}

func (e *Error) Error() string {
	msg := e.Op + " " + e.URI
	if e.Kind != nil {
		msg += ": " + e.Kind.Error()
	}
	if e.Cause != nil {
		msg += ": " + e.Cause.Error()
	}
	return msg
}

// Is reports whether target is the kind of e.
func (e *Error) Is(target error) bool { return e.Kind != nil && target == e.Kind }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// failure classifies an error of the client library. ctx is the caller's: once it has ended, that is the cause, and not
// the service.
func (s *Store) failure(ctx context.Context, op, key string, err error) error {
	if ctx.Err() != nil {
		return &Error{Op: op, URI: s.URI(key), Cause: context.Cause(ctx)}
	}
	return &Error{Op: op, URI: s.URI(key), Kind: kindOf(err), Cause: err}
}

// kindOf maps an error of the client library to a sentinel of this package, or nil.
func kindOf(err error) error {
	var resp minio.ErrorResponse
	if !errors.As(err, &resp) {
		return ErrUnavailable // no answer at all, or half of one: the network or a time limit
	}
	switch resp.Code {
	case minio.NoSuchKey:
		return ErrNotFound
	case minio.NoSuchBucket:
		return ErrNoBucket
	case minio.BadDigest, minio.XAmzContentSHA256Mismatch:
		return ErrCorrupt
	case "XAdminUserNotFound": // versitygw, for an unknown access key
		return ErrDenied
	case "ConditionalRequestConflict", "OperationAborted": // AWS, when two conditional writes meet
		return ErrUnavailable
	}
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return ErrDenied
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return ErrUnavailable
	}
	return nil
}
