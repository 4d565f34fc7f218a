package judge

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Requests are the measured requests of a block, reduced to what judging needs and kept in columns: about 70 bytes for each,
// in the order in which they were added. In memory a value that a request does not have is NaN. The zero value is empty.
type Requests struct {
	outcomes []outcomeCode
	// ttft to e2e are in ms, outputTokens in tokens; see rawlog.Record.
	ttft, ttftScheduled, tpot, e2e, outputTokens []float64
	// clientLate is how late the client sent through its own fault, in ms; connReused whether on a kept connection.
	clientLate []float64
	connReused []bool
	// promptTokens and cachedTokens are the server's own counts.
	promptTokens, cachedTokens []float64
	// quality is nil where no answer was scored.
	quality []float64
}

// Append adds a request; whether it was measured is not asked.
func (q *Requests) Append(r *rawlog.Record) {
	q.outcomes = append(q.outcomes, codeOf(swap.Outcome(r.Outcome)))
	q.ttft = append(q.ttft, orNaN(r.TTFT()))
	q.ttftScheduled = append(q.ttftScheduled, orNaN(r.TTFTScheduled()))
	q.tpot = append(q.tpot, orNaN(r.TPOT()))
	q.e2e = append(q.e2e, orNaN(r.E2E()))
	q.outputTokens = append(q.outputTokens, orNaN(r.Tokens()))
	q.clientLate = append(q.clientLate, orNaN(r.ClientLate()))
	q.connReused = append(q.connReused, r.ConnReused)
	q.promptTokens = append(q.promptTokens, countOrNaN(r.PromptTokens))
	q.cachedTokens = append(q.cachedTokens, countOrNaN(r.CachedTokens))
	q.score(r.Score())
}

// score keeps the score of the request that was added last. Most loads have none, and take no memory for them.
func (q *Requests) score(s swap.Value) {
	if q.quality == nil && !s.Valid() {
		return
	}
	if missing := q.Len() - 1 - len(q.quality); missing > 0 {
		q.quality = append(slices.Grow(q.quality, cap(q.outcomes)), slices.Repeat([]float64{math.NaN()}, missing)...)
	}
	q.quality = append(q.quality, orNaN(s))
}

// Unplanned takes back the times from the planned sends, of which nothing is known.
func (q *Requests) Unplanned() {
	for i := range q.ttftScheduled {
		q.ttftScheduled[i] = math.NaN()
	}
}

// Grow makes room for n more requests.
func (q *Requests) Grow(n int) {
	q.outcomes, q.connReused = slices.Grow(q.outcomes, n), slices.Grow(q.connReused, n)
	for _, column := range [...]*[]float64{
		&q.ttft, &q.ttftScheduled, &q.tpot, &q.e2e, &q.outputTokens, &q.clientLate, &q.promptTokens, &q.cachedTokens,
	} {
		*column = slices.Grow(*column, n)
	}
}

// Len is the number of requests.
func (q *Requests) Len() int { return len(q.outcomes) }

// Outcome is how request i ended.
func (q *Requests) Outcome(i int) swap.Outcome { return q.outcomes[i].outcome() }

// PerRequest is the column of a per-request metric, which the caller must not change; it is nil for throughput and error rate,
// which belong to a block, and for quality where no answer was scored.
func (q *Requests) PerRequest(m swap.Metric) []float64 {
	switch m {
	case swap.MetricTTFT:
		return q.ttft
	case swap.MetricTTFTScheduled:
		return q.ttftScheduled
	case swap.MetricTPOT:
		return q.tpot
	case swap.MetricE2E:
		return q.e2e
	case swap.MetricOutputTokens:
		return q.outputTokens
	case swap.MetricQuality:
		return q.quality
	}
	return nil
}

// count counts the requests by outcome.
func (q *Requests) count() outcomeTally {
	var n outcomeTally
	for _, code := range q.outcomes {
		n[code]++
	}
	return n
}

func orNaN(v swap.Value) float64 { return v.Or(math.NaN()) }

func countOrNaN(n *int32) float64 {
	if n == nil {
		return math.NaN()
	}
	return float64(*n)
}
