package swapbench

import (
	"math"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/stats/hypothesis"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// allowed is the increase over the baseline that fixed thresholds tolerate; allowedErrors the same in absolute error rate.
	allowed       = .1
	allowedErrors = .01
	// kayentaLevel and kayentaTolerance are the defaults of Kayenta's NetflixACAJudge.
	kayentaLevel     = .98
	kayentaTolerance = .25
	// failedChecks end a rollout: in all for Flagger, in a row for Argo Rollouts.
	failedChecks = 5
	testLevel    = .05
	belief       = .95
)

func rules() []rule {
	return []rule{
		{"fixed +10 %", fixed},
		{"Kayenta", kayenta},
		{"KS .05", kolmogorovSmirnov},
		{"Flagger 5 in all", func(g swap.Gate, s *samples) bool { total, _ := checksFailed(g, s); return total >= failedChecks }},
		{"Argo 5 in a row", func(g swap.Gate, s *samples) bool { _, row := checksFailed(g, s); return row >= failedChecks }},
		{"Bayes .95", bayes},
		{"benchstat", benchstat},
		{"classic_5pct", classicFive},
		{"classic_ks_adaptive", func(_ swap.Gate, s *samples) bool {
			return classic.KSAdaptive{}.Read(s.all.Baseline, s.all.Candidate).Fires
		}},
		{"cleaned +5 %", cleaned},
	}
}

func exceeds(g swap.Gate, base, cand float64) bool {
	limit := allowed
	if g.Unit == swap.Absolute {
		limit = allowedErrors
	}
	return worsening(g, base, cand) > limit
}

func fixed(g swap.Gate, s *samples) bool {
	return exceeds(g, level(g.Stat, s.all.Baseline), level(g.Stat, s.all.Candidate))
}

// checksFailed holds the candidate's interval checks, one a block, against the baseline's level: how many failed, in all and in a row.
func checksFailed(g swap.Gate, s *samples) (total, longest int) {
	base, row := level(g.Stat, s.all.Baseline), 0
	for _, values := range s.blocks {
		if len(values) > 0 && !exceeds(g, base, level(g.Stat, values)) {
			row = 0
			continue
		}
		total++
		row++
		longest = max(longest, row)
	}
	return total, longest
}

// kayenta fires where the interval of the Hodges-Lehmann shift is beyond a quarter of the estimate on the bad side, and the ratio of
// means beyond the margin.
func kayenta(g swap.Gate, s *samples) bool {
	shift, ok := hypothesis.HodgesLehmann(s.all.Baseline, s.all.Candidate)
	if !ok {
		return false
	}
	low, high := shift.Interval(kayentaLevel)
	tolerance := kayentaTolerance * math.Abs(shift.Estimate)
	up, down := low > tolerance, high < -tolerance
	differs := up && g.Better != swap.HigherIsBetter || down && g.Better != swap.LowerIsBetter
	return differs && worsening(g, level(swap.StatMean, s.all.Baseline), level(swap.StatMean, s.all.Candidate)) > g.Margin
}

func kolmogorovSmirnov(_ swap.Gate, s *samples) bool {
	test, ok := hypothesis.KolmogorovSmirnov(s.all.Baseline, s.all.Candidate)
	return ok && test.AsymptoticP() < testLevel
}

// bayes fails where the mean of the logarithm (of the values, if one is 0) is worse with a probability above .95, flat prior.
func bayes(g swap.Gate, s *samples) bool {
	log := positive(s.all.Baseline) && positive(s.all.Candidate)
	base, baseVariance := posterior(s.all.Baseline, log)
	cand, candVariance := posterior(s.all.Candidate, log)
	z := (cand - base) / math.Sqrt(baseVariance+candVariance)
	switch g.Better {
	case swap.HigherIsBetter:
		z = -z
	case swap.Either:
		z = math.Abs(z)
	}
	return math.Erfc(-z/math.Sqrt2)/2 > belief
}

func positive(values []float64) bool {
	for _, v := range values {
		if v <= 0 {
			return false
		}
	}
	return true
}

// posterior is the mean of the values and its variance.
func posterior(values []float64, log bool) (mean, variance float64) {
	n, squares := 0., 0.
	for _, v := range values {
		if log {
			v = math.Log(v)
		}
		n++
		d := v - mean
		mean += d / n
		squares += d * (v - mean)
	}
	return mean, squares / (n - 1) / n
}

func benchstat(g swap.Gate, s *samples) bool {
	test, ok := hypothesis.MannWhitney(s.all.Baseline, s.all.Candidate)
	return ok && test.P() < testLevel && worsening(g, level(swap.StatP50, s.all.Baseline), level(swap.StatP50, s.all.Candidate)) > 0
}

func classicFive(g swap.Gate, s *samples) bool {
	return classic.FivePercent{}.Read(worsening(g, level(g.Stat, s.all.Baseline), level(g.Stat, s.all.Candidate))).Fires
}

// cleaned is the gate of 5 % after jitter was deleted from each arm.
func cleaned(g swap.Gate, s *samples) bool {
	base, baseOK := classic.Filter{}.Clean(s.all.Baseline)
	cand, candOK := classic.Filter{}.Clean(s.all.Candidate)
	if !baseOK || !candOK || len(base) == 0 || len(cand) == 0 {
		return false
	}
	return classic.FivePercent{}.Read(worsening(g, level(g.Stat, base), level(g.Stat, cand))).Fires
}
