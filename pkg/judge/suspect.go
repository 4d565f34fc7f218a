package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Shifts are the relative changes, candidate against baseline, that point to a cause; failed requests count as the worst.
type Shifts struct {
	TTFTMedian, TTFTTail swap.Value
	TPOTMedian, TPOTTail swap.Value
	AnswerLength         swap.Value
}

func shiftsOf(p pairs) Shifts {
	return Shifts{
		TTFTMedian:   shift(p, swap.MetricTTFT, swap.StatP50),
		TTFTTail:     shift(p, swap.MetricTTFT, swap.StatP99),
		TPOTMedian:   shift(p, swap.MetricTPOT, swap.StatP50),
		TPOTTail:     shift(p, swap.MetricTPOT, swap.StatP99),
		AnswerLength: shift(p, swap.MetricOutputTokens, swap.StatP50),
	}
}

// shift is absent where too many answers lack the metric.
func shift(p pairs, metric swap.Metric, stat swap.Stat) swap.Value {
	q, _ := stat.Quantile()
	var values swap.PerArm[float64]
	var lacks swap.PerArm[lacking]
	for _, arm := range swap.Arms {
		pooled := p.pool(arm, metric)
		*values.Ptr(arm), *lacks.Ptr(arm) = stats.Quantile(pooled.Sorted(), q), pooled.lacks
	}
	if partial(lacks, stat) {
		return swap.Absent()
	}
	return swap.Of(values.Candidate/values.Baseline - 1)
}

const (
	// unchanged is the relative change of a median below which it did not move, or tailOnly of the tail's change.
	unchanged = .03
	tailOnly  = .2
	// moved is the relative change from which a quantity that no gate holds is named as a cause.
	moved = .05
)

// Suspect names in words the likely cause of failed gates, from which of them failed; it is empty when none did.
func Suspect(gates []swap.GateResult, shifts Shifts) string {
	failed, limits := map[swap.Metric][]swap.Stat{}, []string{}
	for _, gate := range gates {
		switch {
		case gate.Decision != swap.Fail:
		case gate.Gate.HasLimit():
			limits = append(limits, shortName(gate.Gate))
		default:
			failed[gate.Gate.Metric] = append(failed[gate.Gate.Metric], gate.Gate.Stat)
		}
	}
	first := append(failed[swap.MetricTTFT], failed[swap.MetricTTFTScheduled]...)
	decode := failed[swap.MetricTPOT]
	switch {
	case len(failed) == 0 && len(limits) > 0:
		return "the candidate does not keep the limit of " + strings.Join(limits, ", ")
	case len(failed) == 0:
		return ""
	case failed[swap.MetricErrorRate] != nil:
		return "the candidate fails requests that the baseline answers"
	case decode != nil && onlyTail(decode, shifts.TPOTMedian, shifts.TPOTTail) && first == nil:
		return fmt.Sprintf("decode stalls now and then: time per output token changed by %s at P99, but by only %s at the median",
			percentChange(shifts.TPOTTail), percentChange(shifts.TPOTMedian))
	case first != nil && onlyTail(first, shifts.TTFTMedian, shifts.TTFTTail) && decode == nil:
		return fmt.Sprintf("only the slow tail is slower: time to first token changed by %s at P99, but by only %s at the median",
			percentChange(shifts.TTFTTail), percentChange(shifts.TTFTMedian))
	case decode != nil && first != nil:
		return fmt.Sprintf("decode is slower and requests wait longer: time per output token changed by %s, time to first token by %s (medians)",
			percentChange(shifts.TPOTMedian), percentChange(shifts.TTFTMedian))
	case decode != nil:
		return fmt.Sprintf("decode is slower: time per output token changed by %s, time to first token by %s (medians)",
			percentChange(shifts.TPOTMedian), percentChange(shifts.TTFTMedian))
	case first != nil:
		return fmt.Sprintf("prefill or queueing is slower: time to first token changed by %s, time per output token by %s (medians)",
			percentChange(shifts.TTFTMedian), percentChange(shifts.TPOTMedian))
	case failed[swap.MetricQuality] != nil:
		return "the candidate's answers meet fewer of the expectations of their prompts than the baseline's"
	}
	return suspectWork(gates, shifts)
}

// suspectWork explains a failure of length, end-to-end latency or throughput alone.
func suspectWork(gates []swap.GateResult, shifts Shifts) string {
	length := shifts.AnswerLength.Or(0)
	switch {
	case length > moved:
		return fmt.Sprintf("the candidate's answers are longer: %s at the median", percentChange(shifts.AnswerLength))
	case length < -moved:
		return fmt.Sprintf("the candidate's answers are shorter: %s at the median", percentChange(shifts.AnswerLength))
	case shifts.TPOTMedian.Or(0) > moved:
		return fmt.Sprintf("decode is slower: time per output token changed by %s at the median", percentChange(shifts.TPOTMedian))
	case shifts.TTFTMedian.Or(0) > moved:
		return fmt.Sprintf("prefill or queueing is slower: time to first token changed by %s at the median", percentChange(shifts.TTFTMedian))
	case !shifts.TPOTMedian.Valid():
		return fmt.Sprintf("requests take longer after their first token (time to first token changed by %s at the median); "+
			"without token counts slower decode and longer answers cannot be told apart", percentChange(shifts.TTFTMedian))
	}
	for _, gate := range gates {
		if gate.Gate.Metric == swap.MetricOutputTokens && gate.Decision == swap.Fail {
			change := swap.Of(gate.Candidate.Or(math.NaN())/gate.Baseline.Or(math.NaN()) - 1)
			return fmt.Sprintf("some of the candidate's answers have another length: %s at the %s, %s at the median",
				percentChange(change), gate.Gate.Stat, percentChange(shifts.AnswerLength))
		}
	}
	return "the candidate is worse overall, with no single part that stands out"
}

// onlyTail reports whether only high quantiles failed while the median hardly moved.
func onlyTail(stats []swap.Stat, median, tail swap.Value) bool {
	for _, stat := range stats {
		if stat != swap.StatP95 && stat != swap.StatP99 {
			return false
		}
	}
	return math.Abs(median.Or(math.Inf(1))) < max(unchanged, tailOnly*tail.Or(0))
}
