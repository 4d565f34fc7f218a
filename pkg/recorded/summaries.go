package recorded

import (
	"fmt"
	"math"
	"strings"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// comparedPair is a pair of levels as one gate sees it.
type comparedPair struct {
	loadPair
	// levels names them, where there is more than one pair.
	levels string
	// weight is the number of the baseline's requests.
	weight int
	result swap.GateResult
}

// compareSummaries judges gates by the figures of summaries. Percentiles of several levels cannot be put together, so that each level
// is judged by itself, error rates by the counts of all, and throughput at unlike loads by the largest that was reached.
func compareSummaries(p pairing, gates []swap.Gate, withheld []swap.Reason, o Options) swap.Comparison {
	if len(gates) == 0 {
		return swap.Comparison{Decision: swap.Inconclusive, Reasons: []swap.Reason{{
			Code: swap.ReasonNotDecided, Subject: "gates", Message: "there is no gate to judge, so nothing was compared",
		}}}
	}
	compared := make([][]comparedPair, len(gates))
	var estimates []judge.Estimate
	for i, g := range gates {
		var more []judge.Estimate
		compared[i], more = p.estimates(g, o.Settings)
		estimates = append(estimates, more...)
	}
	results := judge.DecideEstimates(estimates, o.Settings, math.Log1p(o.Noise))
	var decided []swap.GateResult
	for i := range compared {
		for k := range compared[i] {
			compared[i][k].result, results = results[0], results[1:]
		}
		decided = append(decided, together(gates[i], compared[i]))
	}
	return judge.Conclude(decided, p.shifts(), withheld)
}

const (
	// leastJudged is the least share of the baseline's requests whose levels have enough answers for a gate.
	leastJudged = .5
	// leastPassing is the least share of the requests judged at whose levels the candidate has to be within the margin for certain. At
	// the rest, which may be too small to tell, the figures themselves have to be within it.
	leastPassing = .95
)

// together is the result of a gate over its levels: a fail at any (that stands after Holm's correction over gates and levels), a pass
// where the levels pass, else inconclusive. It shows the figures of the heaviest level that decided.
func together(g swap.Gate, compared []comparedPair) swap.GateResult {
	for i := len(compared) - 1; i >= 0; i-- {
		if compared[i].result.Decision == swap.Fail {
			return compared[i].named("")
		}
	}
	t := tallied(g, compared)
	switch {
	case t.total == 0:
		return compared[len(compared)-1].named("the candidate has no level that carries as much as one of the baseline's, so it cannot pass")
	case t.refused != nil && float64(t.judged) < leastJudged*float64(t.total):
		return t.refused.named("")
	case t.undecided != nil && (t.beyond || float64(t.passed) < leastPassing*float64(t.judged)):
		return t.undecided.named("")
	case t.passing == nil:
		return t.refused.named("")
	case t.passed == t.total:
		return t.passing.named("")
	}
	return t.passing.named(fmt.Sprintf("passes at levels with %.3g %% of the baseline's requests; the rest tells too little",
		100*float64(t.passed)/float64(t.total)))
}

// tally is what the levels that can show a pass came to: the heaviest of each kind, a regression before others, and the baseline's
// requests of each.
type tally struct {
	refused, undecided, passing *comparedPair
	total, judged, passed       int
	// beyond is set where the figures of an undecided level are outside the margin.
	beyond bool
}

func tallied(g swap.Gate, compared []comparedPair) tally {
	var t tally
	for i := range compared {
		c := &compared[i]
		if c.shows == judge.ShowsFail {
			continue
		}
		t.total += c.weight
		if c.result.Method == "" {
			t.refused = c
			continue
		}
		t.judged += c.weight
		if c.result.Decision != swap.Pass {
			t.undecided, t.beyond = c, t.beyond || outside(g, c.result.Change)
			continue
		}
		t.passed += c.weight
		if t.passing == nil || !t.passing.result.Regressed || c.result.Regressed {
			t.passing = c
		}
	}
	return t
}

// named adds to the message which levels it is of.
func (c *comparedPair) named(note string) swap.GateResult {
	r := c.result
	for _, more := range []string{c.levels, note} {
		if more != "" {
			r.Reason.Message = strings.Join([]string{r.Reason.Message, more}, "; ")
		}
	}
	return r
}

// outside reports whether a change lies beyond a gate's margin.
func outside(g swap.Gate, change swap.Value) bool {
	x := change.Or(0)
	up, down := x > g.Margin, x < -g.Margin
	switch g.Better {
	case swap.LowerIsBetter:
		return up
	case swap.HigherIsBetter:
		return down
	case swap.Either:
	}
	return up || down
}

// onlySummaries says that the bounds are weaker, and how they came about.
func onlySummaries(o Options) swap.Finding {
	return swap.Finding{
		Severity: swap.Notable, Subject: "runs",
		Message: fmt.Sprintf("recorded as summaries, without blocks: this comparison is weaker. The spread of a figure is told from the "+
			"percentiles or the standard deviation beside it, widened by a supposed design effect for the dependence of requests, which "+
			"summaries do not show (%g for a median, %g for P95, %g for P99, %g for means and failures), and by %.3g %% for the noise between runs",
			effectP50, effectP95, effectP99, effectMean, 100*o.Noise),
		Next: "record each request: vllm bench --save-result --save-detailed, profile_export.jsonl of AIPerf, request samples of " +
			"GuideLLM, per_request of inference-perf",
	}
}
