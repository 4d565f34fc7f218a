package engine

import (
	"errors"
	"net"
	"slices"
	"syscall"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

// ownText begins the error of a request that ended for a fault of the load client's own. Its outcome is Abandoned: it says
// nothing of the server, so it must not count against one, and a run that lacks its answer must not pass.
const ownText = "client: "

// ownErrors are those of a machine that has run out of something: file descriptors, local ports, memory.
var ownErrors = []error{
	syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM,
	eventstream.ErrTooManyLongEvents,
}

// ownFault reports whether err is of the client's own side.
func ownFault(err error) bool {
	return slices.ContainsFunc(ownErrors, func(own error) bool { return errors.Is(err, own) }) || noResolver(err)
}

// noResolver reports whether a host name could not be looked up. That a name does not exist is an answer of the name server.
func noResolver(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && !dns.IsNotFound
}

// ownCause is the text of a fault of the client's own.
func ownCause(err error) string {
	for _, own := range ownErrors {
		if errors.Is(err, own) {
			return ownText + own.Error()
		}
	}
	return ownText + "the host name could not be looked up"
}
