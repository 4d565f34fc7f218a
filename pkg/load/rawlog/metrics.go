package rawlog

import "github.com/swapgate/swapgate/pkg/swap"

// A metric is absent, never 0, where an event that it needs did not happen, or where its denominator is not positive.

// TTFT is time to first token in ms, from the actual send: t_first − t_send.
func (r *Record) TTFT() swap.Value { return ms(r.FirstUS) }

// TTFTScheduled is time to first token in ms from the planned send, so it includes the client's own queue.
func (r *Record) TTFTScheduled() swap.Value {
	if r.FirstUS == nil {
		return swap.Absent()
	}
	return swap.Of(float64(*r.FirstUS+r.LateUS) / 1e3)
}

// TTFV is the time to the first visible content or tool call in ms, from the actual send; reasoning is not visible.
func (r *Record) TTFV() swap.Value { return ms(r.VisibleUS) }

// E2E is the time to the last token in ms, from the actual send: t_last − t_send.
func (r *Record) E2E() swap.Value { return ms(r.LastUS) }

// E2EStream is the time to the end of the stream in ms, from the actual send: t_end − t_send.
func (r *Record) E2EStream() swap.Value { return ms(r.EndUS) }

// TPOT is the time per output token after the first, in ms: (t_last − t_first) / (N − 1) with N from the server's usage.
// It is absent for one token, or where the server did not count.
func (r *Record) TPOT() swap.Value {
	n, counted := r.Tokens().Get()
	if !counted {
		return swap.Absent()
	}
	return r.decodePer(int64(n) - 1)
}

// TPOTAdjusted is TPOT without the tokens that came with the first read: (t_last − t_first) / (N − n_1), in ms. It is absent
// where the tokens of the chunks are unknown.
func (r *Record) TPOTAdjusted() swap.Value {
	tokens, known := r.tokensOfChunks()
	if !known || r.OutputTokens == nil {
		return swap.Absent()
	}
	first := int64(tokens(0))
	for k, gap := range r.ChunkGapsUS {
		if gap > 0 {
			break
		}
		first += int64(tokens(k + 1))
	}
	return r.decodePer(int64(*r.OutputTokens) - first)
}

// decodePer is (t_last − t_first) / n in ms, where both are positive.
func (r *Record) decodePer(n int64) swap.Value {
	if r.FirstUS == nil || r.LastUS == nil || n <= 0 || *r.LastUS <= *r.FirstUS {
		return swap.Absent()
	}
	return swap.Of(float64(*r.LastUS-*r.FirstUS) / 1e3 / float64(n))
}

// ITL calls yield with the inter-token latency of each chunk after the first: its gap in ms divided by its tokens, and the
// tokens, which weigh it.
// Chunks that one read brought are one chunk, because their own spacing is unknown; the gap of a chunk without a token goes
// to the next one that has some. There is none where the tokens of the chunks are unknown.
func (r *Record) ITL(yield func(ms float64, tokens int)) {
	tokens, known := r.tokensOfChunks()
	if !known {
		return
	}
	var gap, n int64 // of the chunk in the making
	give := func() {
		if gap > 0 && n > 0 {
			yield(float64(gap)/1e3/float64(n), int(n))
			gap, n = 0, 0
		}
	}
	for k, g := range r.ChunkGapsUS {
		if g > 0 {
			give()
		}
		gap += g
		if gap > 0 { // else it came with the first chunk
			n += int64(max(0, tokens(k+1)))
		}
	}
	give()
}

// tokensOfChunks returns the number of tokens of a chunk, where it is known: the server told it of each, or there are as many
// chunks as tokens.
func (r *Record) tokensOfChunks() (of func(chunk int) int32, known bool) {
	switch n := int(r.Chunks); {
	case n == 0 || len(r.ChunkGapsUS) != n-1:
		return nil, false
	case len(r.ChunkTokens) == n:
		return func(k int) int32 { return r.ChunkTokens[k] }, true
	case len(r.ChunkTokens) == 0 && r.OutputTokens != nil && *r.OutputTokens == r.Chunks:
		return func(int) int32 { return 1 }, true
	}
	return nil, false
}

// Queue is how long the plan itself held the request back in the client, in ms: for a place in flight or for tokens.
func (r *Record) Queue() swap.Value {
	if r.SentUnixNS == 0 {
		return swap.Absent()
	}
	return swap.Of(float64(r.HeldUS) / 1e3)
}

// ClientLate is how late the client sent the request against its plan, in ms, without the time that the plan held it back.
func (r *Record) ClientLate() swap.Value {
	if r.SentUnixNS == 0 {
		return swap.Absent()
	}
	return swap.Of(float64(r.LateUS-r.HeldUS) / 1e3)
}

// Tokens is the number of generated tokens by the server's own count. A count of none with a text is no count: it is absent.
func (r *Record) Tokens() swap.Value {
	if r.OutputTokens == nil || *r.OutputTokens <= 0 && r.Chunks > 0 {
		return swap.Absent()
	}
	return swap.Of(float64(*r.OutputTokens))
}

// PerRequest returns a per-request metric; it is absent for throughput and error rate, which belong to a block.
func (r *Record) PerRequest(m swap.Metric) swap.Value {
	switch m {
	case swap.MetricTTFT:
		return r.TTFT()
	case swap.MetricTTFTScheduled:
		return r.TTFTScheduled()
	case swap.MetricTPOT:
		return r.TPOT()
	case swap.MetricE2E:
		return r.E2E()
	case swap.MetricOutputTokens:
		return r.Tokens()
	case swap.MetricQuality:
		return r.Score()
	}
	return swap.Absent()
}

// Score is the share of its prompt's expectations that a good answer meets, from 0 to 1; absent where nothing was expected or the
// answer is not known whole.
func (r *Record) Score() swap.Value {
	if r.Quality == nil {
		return swap.Absent()
	}
	return swap.Of(*r.Quality)
}

func ms(us *int64) swap.Value {
	if us == nil {
		return swap.Absent()
	}
	return swap.Of(float64(*us) / 1e3)
}
