package recorded

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// estimates are what the pairs of a gate tell of it.
func (p *pairing) estimates(g swap.Gate, settings swap.Judge) ([]comparedPair, []judge.Estimate) {
	pairs := p.pairs(g, settings.MinTail)
	switch {
	case g.Metric == swap.MetricErrorRate:
		return pooledCounts(g, pairs)
	case g.Metric == swap.MetricThroughput && p.unlike:
		pairs = p.largestThroughput(g)
	}
	var compared []comparedPair
	var estimates []judge.Estimate
	for _, pair := range pairs {
		c := comparedPair{loadPair: pair, weight: pair.Baseline.Outcomes.Total()}
		if len(pairs) > 1 || p.unlike {
			c.levels = pair.String()
		}
		compared = append(compared, c)
		estimates = append(estimates, pair.estimate(g, settings))
	}
	return compared, estimates
}

// largestThroughput compares what the runs reached at most. At unlike rates below that, throughput is the rate that was asked for. Only a
// candidate that was driven as hard, or as hard as it could be, can show a fail.
func (p *pairing) largestThroughput(g swap.Gate) []loadPair {
	pair := loadPair{shows: judge.ShowsPass}
	for _, arm := range swap.Arms {
		for _, s := range p.all.Get(arm) {
			if best := pair.Get(arm); best == nil || s.Value(g).Or(0) > best.Value(g).Or(0) {
				*pair.Ptr(arm) = s
			}
		}
	}
	for _, c := range p.all.Candidate {
		if !c.held() || alike(pair.Baseline, c) && c.Level.compare(pair.Baseline.Level) >= 0 {
			pair.shows = judge.ShowsBoth
		}
	}
	return []loadPair{pair}
}

// String names the levels.
func (p loadPair) String() string {
	if p.Baseline.Level.Same(p.Candidate.Level) {
		return "at " + p.Baseline.Level.String()
	}
	return fmt.Sprintf("baseline at %s, candidate at %s", p.Baseline.Level, p.Candidate.Level)
}

func (p loadPair) estimate(g swap.Gate, settings swap.Judge) judge.Estimate {
	e := judge.Estimate{Gate: g, Shows: p.shows, DesignEffect: designEffect(g.Stat)}
	for _, arm := range swap.Arms {
		s := p.Get(arm)
		*e.Values.Ptr(arm) = s.Value(g).Or(math.NaN())
		*e.Outcomes.Ptr(arm) = s.Outcomes
	}
	if p.falls(g) {
		e.Refusal = &swap.Reason{Code: swap.ReasonPlanMismatch, Subject: g.Name(), Message: fmt.Sprintf(
			"%s of the candidate falls when its load rises past %s, so that nothing follows for that load", g.Name(), p.Baseline.Level)}
	}
	for _, arm := range swap.Arms {
		if e.Refusal != nil || arm == swap.Baseline && g.HasLimit() {
			continue
		}
		se, effective, ok := p.Get(arm).logError(g)
		*e.LogErrors.Ptr(arm), *e.Effective.Ptr(arm) = se, effective
		e.Refusal = p.refusal(g, arm, ok, settings)
	}
	return e
}

// fewestEffective is the fewest independent requests that a mean is compared by.
const fewestEffective = 2

func (p loadPair) refusal(g swap.Gate, arm swap.Arm, spread bool, settings swap.Judge) *swap.Reason {
	s, name := p.Get(arm), g.Name()
	_, isQuantile := g.Stat.Quantile()
	switch {
	case !s.Value(g).Valid():
		return &swap.Reason{Code: swap.ReasonNoData, Subject: name, Message: fmt.Sprintf("the summaries have no %s of both runs", name)}
	case !spread:
		return &swap.Reason{Code: swap.ReasonLowN, Subject: name, Message: fmt.Sprintf(
			"the summary of the %s at %s has no spread beside it that its error could be told from", arm, s.Level)}
	case isQuantile && s.tail(g) < float64(settings.MinTail):
		return &swap.Reason{Code: swap.ReasonLowN, Subject: name, Message: fmt.Sprintf(
			"%s of the %s at %s rests on %d answers, of which %.0f lie beyond it, fewer than the %d needed",
			name, arm, s.Level, s.answers(), math.Floor(s.tail(g)), settings.MinTail)}
	case float64(s.answers()) < fewestEffective*effectMean:
		return &swap.Reason{Code: swap.ReasonLowN, Subject: name, Message: fmt.Sprintf(
			"%s of the %s at %s rests on %d answers, too few to depend on each other by an unknown amount", name, arm, s.Level, s.answers())}
	}
	return nil
}

// tail is how many answers lie beyond a gate's quantile; for a mean, all.
func (s *Stage) tail(g swap.Gate) float64 {
	n := float64(s.answers())
	if q, ok := g.Stat.Quantile(); ok {
		return n * min(q, 1-q)
	}
	return n
}

// pooledCounts adds up the outcomes of pairs: of all of them, or where loads are unlike of those that can show a pass and a fail apart.
func pooledCounts(g swap.Gate, pairs []loadPair) (compared []comparedPair, estimates []judge.Estimate) {
	kinds := []judge.Shows{judge.ShowsPass, judge.ShowsFail}
	if !slices.ContainsFunc(pairs, func(p loadPair) bool { return p.shows != judge.ShowsBoth }) {
		kinds = []judge.Shows{judge.ShowsBoth}
	}
	for _, shows := range kinds {
		e := judge.Estimate{Gate: g, Shows: shows, DesignEffect: designEffect(g.Stat)}
		for _, arm := range swap.Arms {
			outcomes := countOf(pairs, arm, shows)
			n := outcomes.Total() - outcomes[swap.Abandoned]
			*e.Outcomes.Ptr(arm), *e.Values.Ptr(arm) = outcomes, float64(outcomes.Failed())/float64(n)
			if n == 0 && (arm == swap.Candidate || !g.HasLimit()) {
				e.Refusal = &swap.Reason{Code: swap.ReasonNoData, Subject: g.Name(), Message: "no request of the levels compared is counted"}
			}
		}
		compared = append(compared, comparedPair{loadPair: loadPair{shows: shows}, weight: e.Outcomes.Baseline.Total()})
		estimates = append(estimates, e)
	}
	return compared, estimates
}

// countOf adds up an arm's outcomes over those pairs that can show it, each level once.
func countOf(pairs []loadPair, arm swap.Arm, shows judge.Shows) swap.OutcomeCounts {
	outcomes, counted := swap.OutcomeCounts{}, map[*Stage]bool{}
	for _, pair := range pairs {
		s := pair.Get(arm)
		if pair.shows != shows && pair.shows != judge.ShowsBoth || counted[s] {
			continue
		}
		counted[s] = true
		for o, n := range s.Outcomes {
			outcomes[o] += n
		}
	}
	return outcomes
}

// shifts are those of the heaviest pair that people are shown.
func (p *pairing) shifts() judge.Shifts {
	shown := p.shown()
	if len(shown) == 0 {
		return judge.Shifts{}
	}
	last := shown[len(shown)-1]
	of := func(m swap.Metric, s swap.Stat) swap.Value {
		g := swap.Gate{Metric: m, Stat: s}
		return swap.Of(last.Candidate.Value(g).Or(math.NaN())/last.Baseline.Value(g).Or(math.NaN()) - 1)
	}
	return judge.Shifts{
		TTFTMedian: of(swap.MetricTTFT, swap.StatP50), TTFTTail: of(swap.MetricTTFT, swap.StatP99),
		TPOTMedian: of(swap.MetricTPOT, swap.StatP50), TPOTTail: of(swap.MetricTPOT, swap.StatP99),
		AnswerLength: of(swap.MetricOutputTokens, swap.StatP50),
	}
}
