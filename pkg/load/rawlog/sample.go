package rawlog

import "github.com/swapgate/swapgate/pkg/swap"

// Sample is what judging needs of a request, without a pointer to anything of its own: less than 200 bytes, where a Record of
// 50 tokens takes a kilobyte. Its metrics are those of the record that it was made from, where they do not need the single
// chunks.
type Sample struct {
	Step, Block, Pair, Seq, Unit, Turn int32
	Measured, ConnReused               bool
	present                            presence
	Arm                                swap.Arm
	Outcome                            swap.Outcome
	FinishReason                       string
	PlannedUnixNS, SentUnixNS          int64
	LateUS, HeldUS                     int64

	firstUS, visibleUS, lastUS, endUS, lagUS int64
	work                                     float64
	promptTokens, outputTokens, cachedTokens int32
}

// presence has a bit for each optional field of a sample that is there.
type presence uint16

const (
	hasFirst presence = 1 << iota
	hasVisible
	hasLast
	hasEnd
	hasLag
	hasWork
	hasPrompt
	hasOutput
	hasCached
)

// SampleOf takes what judging needs from a record.
func SampleOf(r *Record) Sample {
	s := Sample{
		Step: r.Step, Block: r.Block, Pair: r.Pair, Seq: r.Seq, Unit: r.Unit, Turn: r.Turn,
		Measured: r.Measured, ConnReused: r.ConnReused,
		Arm: swap.Arm(r.Arm), Outcome: swap.Outcome(r.Outcome), FinishReason: r.FinishReason,
		PlannedUnixNS: r.PlannedUnixNS, SentUnixNS: r.SentUnixNS, LateUS: r.LateUS, HeldUS: r.HeldUS,
	}
	take(&s, &s.firstUS, r.FirstUS, hasFirst)
	take(&s, &s.visibleUS, r.VisibleUS, hasVisible)
	take(&s, &s.lastUS, r.LastUS, hasLast)
	take(&s, &s.endUS, r.EndUS, hasEnd)
	take(&s, &s.lagUS, r.LagUS, hasLag)
	take(&s, &s.work, r.Work, hasWork)
	take(&s, &s.promptTokens, r.PromptTokens, hasPrompt)
	take(&s, &s.outputTokens, r.OutputTokens, hasOutput)
	take(&s, &s.cachedTokens, r.CachedTokens, hasCached)
	return s
}

func take[T any](s *Sample, to, from *T, bit presence) {
	if from != nil {
		*to = *from
		s.present |= bit
	}
}

// Record is the record again, with what a sample keeps of it. It points into the sample.
func (s *Sample) Record() Record {
	return Record{
		Step: s.Step, Block: s.Block, Pair: s.Pair, Seq: s.Seq, Unit: s.Unit, Turn: s.Turn,
		Measured: s.Measured, ConnReused: s.ConnReused,
		Arm: string(s.Arm), Outcome: string(s.Outcome), FinishReason: s.FinishReason,
		PlannedUnixNS: s.PlannedUnixNS, SentUnixNS: s.SentUnixNS, LateUS: s.LateUS, HeldUS: s.HeldUS,
		FirstUS: give(s, &s.firstUS, hasFirst), VisibleUS: give(s, &s.visibleUS, hasVisible),
		LastUS: give(s, &s.lastUS, hasLast), EndUS: give(s, &s.endUS, hasEnd), LagUS: give(s, &s.lagUS, hasLag),
		Work: give(s, &s.work, hasWork), PromptTokens: give(s, &s.promptTokens, hasPrompt),
		OutputTokens: give(s, &s.outputTokens, hasOutput), CachedTokens: give(s, &s.cachedTokens, hasCached),
	}
}

func give[T any](s *Sample, v *T, bit presence) *T {
	if s.present&bit == 0 {
		return nil
	}
	return v
}

// Good reports whether the request gave a usable answer.
func (s *Sample) Good() bool { return s.Outcome.Good() }

// PerRequest returns a per-request metric, as Record.PerRequest does.
func (s *Sample) PerRequest(m swap.Metric) swap.Value {
	r := s.Record()
	return r.PerRequest(m)
}

// Tokens is the number of generated tokens by the server's own count.
func (s *Sample) Tokens() swap.Value {
	if s.present&hasOutput == 0 {
		return swap.Absent()
	}
	return swap.Of(float64(s.outputTokens))
}
