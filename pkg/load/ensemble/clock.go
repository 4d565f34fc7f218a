package ensemble

import "time"

// Clock is how a shard's clock stands against the conductor's.
type Clock struct {
	// Offset is the conductor's time minus the shard's.
	Offset time.Duration
	// Uncertainty is how far the true offset may be from Offset: half of the round trip that measured it.
	Uncertainty time.Duration
}

// exchange is a question and its answer, in nanoseconds: sent and returned on the shard's clock, received and answered on the
// conductor's.
type exchange struct{ sent, received, answered, returned int64 }

// clock is the offset and its uncertainty (RFC 5905 section 8: theta, and delta/2).
func (e exchange) clock() Clock {
	offset := ((e.received - e.sent) + (e.answered - e.returned)) / 2
	roundTrip := max(0, (e.returned-e.sent)-(e.answered-e.received))
	return Clock{Offset: time.Duration(offset), Uncertainty: time.Duration(roundTrip+1) / 2}
}

// better is the clock that is known better.
func better(a, b Clock) Clock {
	if b.Uncertainty < a.Uncertainty {
		return b
	}
	return a
}

// timeline is a clock that is never set: it reads the wall clock once, and from there on only the time that passes.
type timeline struct {
	origin time.Time
	now    func() time.Time
}

func newTimeline(now func() time.Time) timeline { return timeline{origin: now(), now: now} }

// stamp is the time in nanoseconds since 1970.
func (l timeline) stamp() int64 { return l.origin.UnixNano() + int64(l.now().Sub(l.origin)) }

// at is the time of a stamp, on the clock that the timeline reads.
func (l timeline) at(stamp int64) time.Time {
	return l.origin.Add(time.Duration(stamp - l.origin.UnixNano()))
}
