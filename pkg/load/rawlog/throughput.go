package rawlog

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ThroughputRule is how a tool defines throughput: of the good requests of the measured time, as of a run of the tool for each block.
type ThroughputRule struct {
	// Requests and Tokens are what a person should read beside requests and output tokens per second.
	Requests, Tokens string
	// requests and tokens are the times over which the tool spreads a block's requests and tokens.
	requests, tokens func(*stretch) time.Duration
	// needsMeasured says that they need the measured time of the block.
	needsMeasured bool
}

// overMeasuredTime divides by the time in which requests were planned.
func overMeasuredTime() ThroughputRule {
	const over = " planned in the measured time / measured time"
	return ThroughputRule{
		Requests: "good requests" + over, Tokens: "output tokens of good requests" + over,
		requests: (*stretch).measuredTime, tokens: (*stretch).measuredTime, needsMeasured: true,
	}
}

// overDuration divides by the time that the whole load took, with the last answers.
func overDuration() ThroughputRule {
	const over = " / (end of the last request − send of the first)"
	return ThroughputRule{
		Requests: "successful requests" + over, Tokens: "output tokens of all successful requests" + over,
		requests: (*stretch).duration, tokens: (*stretch).duration,
	}
}

// overTokens takes the mean over time of the rate of tokens, which begins with the first and ends with the last.
func overTokens() ThroughputRule {
	t := overDuration()
	t.Tokens = "output tokens of all successful requests / (last token − first token): the mean over time of their rate"
	t.tokens = (*stretch).streaming
	return t
}

// stretch is what was asked of one arm in one block.
type stretch struct {
	// measured is 0 where it is not known.
	measured time.Duration
	// planned are the different times of planned sends, wanted only where the measured time is not known.
	planned map[int64]struct{}
	// busy is from the first send to the last end of any request, tokens from the first token to the last of good ones.
	plan, busy, tokens span
	good               int
	output             float64
	counted            bool
}

// add counts a request of the measured time.
func (s *stretch) add(r *Record, tokens ProfileMetric) {
	s.plan.add(r.PlannedUnixNS)
	if s.measured == 0 {
		if s.planned == nil {
			s.planned = map[int64]struct{}{}
		}
		s.planned[r.PlannedUnixNS] = struct{}{}
	}
	if r.SentUnixNS != 0 {
		s.busy.add(r.SentUnixNS)
		s.busy.addAfter(r.SentUnixNS, r.EndUS)
	}
	if !r.Good() {
		return
	}
	s.good++
	s.tokens.addAfter(r.SentUnixNS, r.FirstUS)
	s.tokens.addAfter(r.SentUnixNS, r.LastUS)
	tokens.Each(r, func(v float64, _ int) { s.output, s.counted = s.output+v, true })
}

// measuredTime is that of the block, or an estimate: n planned sends are n − 1 gaps apart.
func (s *stretch) measuredTime() time.Duration {
	if s.measured > 0 {
		return s.measured
	}
	n := len(s.planned)
	if n < 2 {
		return 0
	}
	return time.Duration(float64(s.plan.length()) * float64(n) / float64(n-1))
}

func (s *stretch) duration() time.Duration { return s.busy.length() }

func (s *stretch) streaming() time.Duration { return s.tokens.length() }

// span is from the earliest to the latest of some times; the zero value holds none.
type span struct {
	first, last int64
	any         bool
}

func (s *span) add(unixNS int64) {
	if !s.any {
		*s = span{unixNS, unixNS, true}
	}
	s.first, s.last = min(s.first, unixNS), max(s.last, unixNS)
}

// addAfter adds a time in µs after another, if it is there.
func (s *span) addAfter(unixNS int64, us *int64) {
	if us != nil {
		s.add(unixNS + *us*1000)
	}
}

func (s *span) length() time.Duration { return time.Duration(s.last - s.first) }

// StepThroughput is the throughput of one arm in one load step.
type StepThroughput struct {
	// Step is 0 for requests that belong to no load step, such as those of rollout windows.
	Step int `json:"step"`
	// Blocks, or tables where there are no blocks, are added up: what they served over the time that they took.
	Blocks   int        `json:"blocks"`
	Requests swap.Value `json:"requests_per_s"`
	Tokens   swap.Value `json:"output_tokens_per_s"`
	// Note says what limits the numbers, or why one is absent.
	Note string `json:"note,omitempty"`
}

// throughputOf adds up stretches of a step.
func throughputOf(t ThroughputRule, step int, stretches []*stretch) StepThroughput {
	out := StepThroughput{Step: step, Blocks: len(stretches)}
	var requestTime, tokenTime time.Duration
	var good, output float64
	counted, estimated := false, false
	for _, s := range stretches {
		good, output, counted = good+float64(s.good), output+s.output, counted || s.counted
		requestTime, tokenTime = requestTime+t.requests(s), tokenTime+t.tokens(s)
		estimated = estimated || s.measured == 0
	}
	if requestTime > 0 {
		out.Requests = swap.Of(good / requestTime.Seconds())
	}
	if tokenTime > 0 && counted {
		out.Tokens = swap.Of(output / tokenTime.Seconds())
	}
	switch {
	case good == 0:
		out.Note = "no good request"
	case !counted:
		out.Note = "the server counted no tokens"
	case requestTime == 0:
		out.Note = "the time that it took cannot be told"
	case estimated && t.needsMeasured:
		out.Note = "the measured time is estimated from the planned sends"
	}
	return out
}
