package judge

import (
	"math"

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

// collect gathers a per-request metric. A failed request counts as +Inf for a latency: were it left out, an arm that
// fails its slow requests would look faster. It has no answer length. An abandoned request has neither.
func collect(p pairs, arm swap.Arm, metric swap.Metric) samples {
	s := samples{byPair: make([][]float64, len(p.list))}
	for k := range p.list {
		records := p.list[k].blocks.Get(arm).Records
		values := make([]float64, 0, len(records))
		for i := range records {
			record := &records[i]
			value, has := record.PerRequest(metric).Get()
			if record.Good() {
				s.lacks.add(record, metric, has)
			}
			switch {
			case record.Good() && has:
				values = append(values, value)
			case record.Good():
			case isLatency(metric) && swap.Outcome(record.Outcome) != swap.Abandoned:
				values = append(values, math.Inf(1))
				s.failed++
			}
		}
		s.byPair[k] = values
		s.n += len(values)
	}
	return s
}

func isLatency(metric swap.Metric) bool { return metric != swap.MetricOutputTokens }

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

// above are each pair's values above x, and all its values.
func (s samples) above(x float64) blockSums {
	b := newBlockSums(len(s.byPair))
	for k, values := range s.byPair {
		for _, v := range values {
			if v > x {
				b.num[k]++
			}
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
		for i := range block.Records {
			record := &block.Records[i]
			if !record.Good() {
				continue
			}
			n, has := record.Tokens().Get()
			lacks.add(record, swap.MetricThroughput, has)
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
		records := p.list[k].blocks.Get(arm).Records
		for i := range records {
			outcome := swap.Outcome(records[i].Outcome)
			outcomes[outcome]++
			if outcome == swap.Abandoned {
				continue
			}
			failed.den[k]++
			if !outcome.Good() {
				failed.num[k]++
			}
		}
	}
	return failed, outcomes
}
