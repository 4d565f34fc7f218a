package eventstream

import (
	"errors"
	"time"
)

// ErrEventTooLong ends a body in which one event takes more than 64 MiB of memory.
var ErrEventTooLong = errors.New("an event is longer than 64 MiB")

// Framing is how a body is divided into events.
type Framing int

// The framings.
const (
	// Events are server-sent events.
	Events Framing = iota
	// Lines are values of JSON, each ended by LF or CRLF; blank lines are skipped.
	Lines
	// Whole is a body that is one event, handed over at its end.
	Whole
)

// Stamp is when bytes arrived.
type Stamp struct {
	// At is the moment of arrival, with the monotonic clock.
	At time.Time
	// Lag is how long after At the client looked; 0 unless Kernel.
	Lag time.Duration
	// Kernel says that At is the kernel's time of receipt and not the time at which the client looked.
	Kernel bool
}

// Event is one event of a body. Its slices are valid until the next call of Next.
type Event struct {
	Name, Data []byte
	// Stamp is that of the read that brought the event's last byte.
	Stamp Stamp
	// Read numbers that read from 1. Events with the same number arrived together: their true spacing is unknown.
	Read int
	// Unterminated marks data at the end of a body that the end of an event did not follow. It may have been cut off.
	Unterminated bool
}

// Account says where the bytes of a body went: Read = Data + Framing + Comments + Ignored + Leftover.
type Account struct {
	Read int64
	// Data is what the handed-over events hold, without the LFs that join their lines.
	Data int64
	// Framing is line ends, names of fields and events, blank lines and the byte order mark.
	Framing int64
	// Comments and Ignored are lines without their ends: comments, and fields that mean nothing.
	Comments, Ignored int64
	// Leftover was read and has not become part of an event: what is not looked at yet, or was cut off.
	Leftover int64
}
