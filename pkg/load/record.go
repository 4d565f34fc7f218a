package load

import (
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

// newRecord writes down what was planned and what happened.
func newRecord(opt Options, f *flight, measured bool, o engine.Observation) rawlog.Record {
	b := opt.Block
	r := rawlog.Record{
		Step: int32(b.Step), Block: int32(b.Block), Pair: int32(b.Pair), Seq: int32(f.seq), //nolint:gosec // far below 2^31
		Shard: int32(opt.Shard.Index), Unit: int32(f.unit), Turn: int32(f.turn), //nolint:gosec // far below 2^31
		Arm: string(b.Arm), Measured: measured,
		PlannedUnixNS: f.due.UnixNano(), HeldUS: f.held.Microseconds(),
		MaxTokens: int32(f.ask.MaxTokens), //nolint:gosec // clipped by the workload
		Outcome:   string(o.Outcome), FinishReason: o.FinishReason, Error: o.Err,
		Status:  int32(o.Status), //nolint:gosec // three digits
		TraceID: f.traceID, PromptSHA256: f.fingerprint, Fingerprint: o.Fingerprint, ConnReused: o.ConnReused,
		PromptTokens: o.PromptTokens, OutputTokens: o.OutputTokens, CachedTokens: o.CachedTokens, Work: o.Work,
	}
	if o.Unread != "" {
		r.Unread = &rawlog.Unread{What: o.Unread, Next: o.Remedy}
	}
	if f.expect != nil && o.Outcome.Good() && !o.TextCut {
		score := f.expect.Score(o.Text)
		r.Quality = &score
	}
	if b.Arm == "" {
		r.Arm = o.Arm
	}
	if o.Sent.IsZero() {
		return r
	}
	r.SentUnixNS = o.Sent.UnixNano()
	r.LateUS = o.Sent.Sub(f.due).Microseconds()
	fillStream(&r, o)
	return r
}

// fillStream writes down the answer.
func fillStream(r *rawlog.Record, o engine.Observation) {
	r.HeadersUS, r.RoleUS, r.FirstUS = since(o.Sent, o.Headers), since(o.Sent, o.Role), since(o.Sent, o.First)
	r.VisibleUS, r.LastUS = since(o.Sent, o.Visible), since(o.Sent, o.Last)
	r.FinishUS, r.EndUS = since(o.Sent, o.Finish), since(o.Sent, o.End)
	r.Chunks, r.ChunkGapsUS, r.ChunkTokens = int32(o.Chunks), o.GapsUS, o.ChunkTokens //nolint:gosec // far below 2^31
	r.Coalesced, r.Keepalives = int32(o.Coalesced), int32(o.Keepalives)               //nolint:gosec // far below 2^31
	if r.KernelStamped = int32(o.KernelStamped); o.KernelStamped > 0 {                //nolint:gosec // far below 2^31
		lag := o.Lag.Microseconds()
		r.LagUS = &lag
	}
}

// since is the time from sent to an event in µs; nil if it never happened.
func since(sent, at time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	us := at.Sub(sent).Microseconds()
	return &us
}
