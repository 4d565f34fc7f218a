package load

import (
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// newRecord writes down what was planned and what happened.
func newRecord(b swap.BlockPlan, j job, planned time.Time, measured bool, o engine.Observation) rawlog.Record {
	r := rawlog.Record{
		Step: int32(b.Step), Block: int32(b.Block), Pair: int32(b.Pair), Seq: int32(j.seq), //nolint:gosec // far below 2^31
		Arm: string(b.Arm), Measured: measured,
		PlannedUnixNS: planned.UnixNano(),
		MaxTokens:     int32(j.ask.MaxTokens), //nolint:gosec // clipped by the workload
		Outcome:       string(o.Outcome), FinishReason: o.FinishReason, Error: o.Err,
		Status:  int32(o.Status), //nolint:gosec // three digits
		TraceID: j.traceID, PromptSHA256: j.fingerprint, Fingerprint: o.Fingerprint, ConnReused: o.ConnReused,
		Chunks: int32(o.Chunks), ChunkGapsUS: o.GapsUS, //nolint:gosec // far below 2^31
		PromptTokens: o.PromptTokens, OutputTokens: o.OutputTokens, CachedTokens: o.CachedTokens,
	}
	if b.Arm == "" {
		r.Arm = o.Arm
	}
	if o.Sent.IsZero() {
		return r
	}
	r.SentUnixNS = o.Sent.UnixNano()
	r.LateUS = o.Sent.Sub(planned).Microseconds()
	r.HeadersUS, r.FirstUS, r.VisibleUS = since(o.Sent, o.Headers), since(o.Sent, o.First), since(o.Sent, o.Visible)
	r.LastUS, r.EndUS = since(o.Sent, o.Last), since(o.Sent, o.End)
	return r
}

// since is the time from sent to an event in µs; nil if it never happened.
func since(sent, at time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	us := at.Sub(sent).Microseconds()
	return &us
}
