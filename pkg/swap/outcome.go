package swap

// Outcome is how one planned request ended. The classes are exhaustive: planned = Σ classes, always.
type Outcome string

// The outcome classes.
const (
	// OK ended with a finish reason and the stream's terminator.
	OK Outcome = "ok"
	// OKNoDone has its text and a finish reason, but the stream ended without the terminator.
	OKNoDone Outcome = "ok_no_done"
	// Empty ended well but held no token at all.
	Empty Outcome = "empty"
	// HTTP4xx, HTTP429 and HTTP5xx are refusals by status code.
	HTTP4xx Outcome = "http_4xx"
	HTTP429 Outcome = "http_429"
	HTTP5xx Outcome = "http_5xx"
	// StreamError is an error object inside a 200 stream, or a finish reason that means failure.
	StreamError Outcome = "stream_error"
	// ConnectFailed never reached the server.
	ConnectFailed Outcome = "connect_failed"
	// ResetBeforeHeaders and ResetMidStream lost the connection.
	ResetBeforeHeaders Outcome = "reset_before_headers"
	ResetMidStream     Outcome = "reset_mid_stream"
	// Truncated has tokens but no finish reason, or is a clean end of the body with neither finish reason nor terminator.
	Truncated Outcome = "truncated"
	// TimeoutFirst got no token in time; TimeoutTotal did not finish in time.
	TimeoutFirst Outcome = "timeout_first_token"
	TimeoutTotal Outcome = "timeout_total"
	// ParseError is a stream that could not be read as what it claimed to be.
	ParseError Outcome = "parse_error"
	// Abandoned was planned but cut off by the end of the run or by a cancel, or never sent because the step's own limits held it
	// back for too long.
	Abandoned Outcome = "abandoned"
)

// Outcomes lists every class.
var Outcomes = []Outcome{
	OK, OKNoDone, Empty, HTTP4xx, HTTP429, HTTP5xx, StreamError, ConnectFailed,
	ResetBeforeHeaders, ResetMidStream, Truncated, TimeoutFirst, TimeoutTotal, ParseError, Abandoned,
}

// Good reports whether the request gave a usable answer.
func (o Outcome) Good() bool { return o == OK || o == OKNoDone }

// OutcomeCounts counts requests by outcome; classes without a request are left out.
type OutcomeCounts map[Outcome]int

// Total is the number of requests in all classes.
func (c OutcomeCounts) Total() int {
	n := 0
	for _, v := range c {
		n += v
	}
	return n
}

// Failed is the number of requests that gave no usable answer, abandoned ones left out.
func (c OutcomeCounts) Failed() int {
	n := 0
	for o, v := range c {
		if !o.Good() && o != Abandoned {
			n += v
		}
	}
	return n
}

// Add adds other to c.
func (c OutcomeCounts) Add(other OutcomeCounts) {
	for o, v := range other {
		c[o] += v
	}
}
