package rawlog

import "github.com/swapgate/swapgate/pkg/swap"

// TTFT is time to first token in ms, from the actual send: t_first − t_send.
func (r *Record) TTFT() swap.Value { return ms(r.FirstUS) }

// TTFTScheduled is time to first token in ms from the planned send, so it includes the client's own queue.
func (r *Record) TTFTScheduled() swap.Value {
	if r.FirstUS == nil {
		return swap.Absent()
	}
	return swap.Of(float64(*r.FirstUS+r.LateUS) / 1e3)
}

// E2E is the time to the last token in ms, from the actual send: t_last − t_send.
func (r *Record) E2E() swap.Value { return ms(r.LastUS) }

// TPOT is the time per output token after the first, in ms: (t_last − t_first) / (N − 1) with N from the server's usage.
// It is absent for one token, or where the server did not count.
func (r *Record) TPOT() swap.Value {
	if r.FirstUS == nil || r.LastUS == nil || r.OutputTokens == nil || *r.OutputTokens < 2 || *r.LastUS <= *r.FirstUS {
		return swap.Absent()
	}
	return swap.Of(float64(*r.LastUS-*r.FirstUS) / 1e3 / float64(*r.OutputTokens-1))
}

// Tokens is the number of generated tokens by the server's own count.
func (r *Record) Tokens() swap.Value {
	if r.OutputTokens == nil {
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
	}
	return swap.Absent()
}

func ms(us *int64) swap.Value {
	if us == nil {
		return swap.Absent()
	}
	return swap.Of(float64(*us) / 1e3)
}
