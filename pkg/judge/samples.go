package judge

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// samples are one arm's values of a per-request metric, one slice for each pair.
type samples struct {
	byPair [][]float64
	n      int
	// failed counts requests that count as the worst latency.
	failed int
	lacks  lacking
}

// pooled are one arm's values of a per-request metric, sorted.
type pooled struct {
	stats.Pooled
	n, failed int
	lacks     lacking
}

// pool gathers and sorts a per-request metric.
func pool(p pairs, arm swap.Arm, metric swap.Metric) pooled {
	s := collect(p, arm, metric)
	return pooled{Pooled: stats.Pool(s.byPair), n: s.n, failed: s.failed, lacks: s.lacks}
}

// above are each pair's values above x, and all its values.
func (p pooled) above(x float64) blockSums {
	above, all := p.Above(x)
	return blockSums{num: above, den: all}
}

// collect gathers a per-request metric. A failed request counts as +Inf for a latency: were it left out, an arm that
// fails its slow requests would look faster. It has neither length nor quality of an answer, and an abandoned
// request has nothing.
func collect(p pairs, arm swap.Arm, metric swap.Metric) samples {
	s := samples{byPair: make([][]float64, len(p.list))}
	for k := range p.list {
		requests := &p.list[k].blocks.Get(arm).Requests
		values := make([]float64, 0, requests.Len())
		for i, value := range requests.PerRequest(metric) {
			outcome, has := requests.outcomes[i], !math.IsNaN(value)
			switch {
			case outcome.good():
				s.lacks.add(requests.outputTokens[i], metric, has, requests.e2e[i] <= requests.ttft[i])
				if has {
					values = append(values, value)
				}
			case isLatency(metric) && !outcome.abandoned():
				values = append(values, math.Inf(1))
				s.failed++
			}
		}
		s.byPair[k] = values
		s.n += len(values)
	}
	return s
}

func isLatency(metric swap.Metric) bool {
	return metric != swap.MetricOutputTokens && metric != swap.MetricQuality
}

// worstAnswered is the largest finite value of both arms, or NaN.
func worstAnswered(arms swap.PerArm[samples]) float64 {
	worst := math.NaN()
	for _, arm := range swap.Arms {
		for _, values := range arms.Get(arm).byPair {
			for _, v := range values {
				if !math.IsInf(v, 1) && !(v <= worst) {
					worst = v
				}
			}
		}
	}
	return worst
}

// sums are each pair's sum and count of values, with a failed request counted as worst.
func (s samples) sums(worst float64) blockSums {
	b := newBlockSums(len(s.byPair))
	for k, values := range s.byPair {
		for _, v := range values {
			if math.IsInf(v, 1) {
				v = worst
			}
			b.num[k] += v
		}
		b.den[k] = float64(len(values))
	}
	return b
}

// throughput returns each pair's generated tokens of good requests and its measured seconds, and how many good requests
// lacked a token count.
func throughput(p pairs, arm swap.Arm) (tokens blockSums, lacks lacking) {
	tokens = newBlockSums(len(p.list))
	for k := range p.list {
		block := p.list[k].blocks.Get(arm)
		tokens.den[k] = block.MeasuredSeconds
		for i, n := range block.Requests.outputTokens {
			if !block.Requests.outcomes[i].good() {
				continue
			}
			has := !math.IsNaN(n)
			lacks.add(n, swap.MetricThroughput, has, false)
			if has {
				tokens.num[k] += n
			}
		}
	}
	return tokens, lacks
}

// failures returns each pair's failed and finished requests of an arm, and all its outcomes.
func failures(p pairs, arm swap.Arm) (failed blockSums, outcomes swap.OutcomeCounts) {
	failed, outcomes = newBlockSums(len(p.list)), swap.OutcomeCounts{}
	for k := range p.list {
		tally := p.list[k].blocks.Get(arm).Requests.count()
		tally.addTo(outcomes)
		bad, finished := tally.failures()
		failed.num[k], failed.den[k] = float64(bad), float64(finished)
	}
	return failed, outcomes
}
