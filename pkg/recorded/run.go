package recorded

import (
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Run is what one tool recorded of one service.
type Run struct {
	// Name is how a person names the run: its file or folder.
	Name string
	// Tool that recorded it, and its version where the file says.
	Tool, Version string
	// Profile names whose definitions the metrics have, as in package rawlog; "llmperf" has no profile there.
	Profile string
	// Model is what was asked for; empty where the file does not say.
	Model string
	// SHA256 is the hash of what was read, in hex.
	SHA256 string
	Stages []Stage
	// Jitter is what the slow first tokens look like, where the run was driven in blocks; nil where that is not known.
	Jitter *swap.ArmJitter
	// Notes are sentences on what the files lack.
	Notes []string
}

// Order is what the order of a stage's requests means.
type Order int

// The orders.
const (
	// ByTime: requests have start times and are sorted by them.
	ByTime Order = iota
	// ByFile: there are no times; the order is that of the file, in which the tool wrote requests as they ended.
	ByFile
)

// Stage is one load level of a run. It has Requests, or Blocks, or only a Summary.
type Stage struct {
	Level Level
	// Started is absent (zero) where only a relative clock was recorded.
	Started time.Time
	// Seconds is from the first send to the end of the last answer.
	Seconds swap.Value
	// Sent is how many requests the client sent per second, where the tool tells it of a level that asks for a rate.
	Sent swap.Value
	// Requests in their order.
	Requests []Request
	Order    Order
	// Blocks are the arm's own blocks, where the load was driven in blocks.
	Blocks []judge.Block
	// Instrument is the load client's account of itself, where it gave one.
	Instrument swap.InstrumentState
	// Zeros counts latencies of 0 in good answers, which are taken for missing.
	Zeros int
	// Outcomes counts all requests.
	Outcomes swap.OutcomeCounts
	// Summary holds the tool's own figures by the name of a gate (ttft_p99), in the gate's unit, and standard deviations (ttft_std).
	Summary map[string]float64
	// PromptTokens is the mean of the prompts.
	PromptTokens swap.Value
}

// Measured reports whether the stage has more than a summary.
func (s *Stage) Measured() bool { return len(s.Requests) > 0 || len(s.Blocks) > 0 }

// measured reports whether all levels have more than a summary.
func (r *Run) measured() bool {
	return !slices.ContainsFunc(r.Stages, func(s Stage) bool { return !s.Measured() })
}

// Request is one request of a recorded run.
type Request struct {
	// Start is in seconds on any clock of the run.
	Start swap.Value
	// TTFT and E2E are in ms, by the definitions of the run's profile.
	TTFT, E2E swap.Value
	// PromptTokens, CachedTokens and OutputTokens are counts.
	PromptTokens, CachedTokens, OutputTokens swap.Value
	Outcome                                  swap.Outcome
}

// End is when the request ended, on the clock of Start; absent where that is not known.
func (r *Request) End() swap.Value {
	start, ok := r.Start.Get()
	took, ended := r.E2E.Get()
	if !ok || !ended {
		return r.Start
	}
	return swap.Of(start + took/1e3)
}
