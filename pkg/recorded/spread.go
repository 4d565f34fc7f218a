package recorded

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Summaries do not show how requests depend on each other, so that a design effect has to be supposed: by how much the variance of a
// statistic is larger than that of as many independent requests. These are of latencies of which half of the variance (of the
// logarithm) is an autoregression of φ = 0.9 from request to request: 1 + 2 Σ ρ(k), ρ being the autocorrelation of the values, or of
// their being above the quantile. Failures come in bursts and have that of the mean.
const (
	effectP50  = 6.8
	effectP90  = 4.7
	effectP95  = 3.7
	effectP99  = 2.2
	effectMean = 10.0
)

func designEffect(s swap.Stat) float64 {
	switch s {
	case swap.StatP50:
		return effectP50
	case swap.StatP90:
		return effectP90
	case swap.StatP95:
		return effectP95
	case swap.StatP99:
		return effectP99
	case swap.StatMean, swap.StatRate:
	}
	return effectMean
}

// percentile is a quantile that summaries may have. Those that no gate has only tell of the spread.
type percentile struct {
	stat swap.Stat
	p    float64
}

// reported are in ascending order.
var reported = []percentile{
	{"p10", .1}, {"p25", .25}, {swap.StatP50, .5}, {"p75", .75}, {swap.StatP90, .9}, {swap.StatP95, .95}, {swap.StatP99, .99},
}

// answers is how many requests the latencies of a stage are of.
func (s *Stage) answers() int {
	return s.Outcomes.Total() - s.Outcomes.Failed() - s.Outcomes[swap.Abandoned]
}

// logError is the standard error of the logarithm of a gate's figure, and how many independent requests it rests on; not ok where the
// stage does not tell enough.
func (s *Stage) logError(g swap.Gate) (se, effective float64, ok bool) {
	effective = float64(s.answers()) / designEffect(g.Stat)
	p, isQuantile := g.Stat.Quantile()
	switch {
	case isQuantile:
		slope := s.logSlope(g)
		return math.Sqrt(p*(1-p)/effective) * slope, effective, slope > 0
	case g.Metric == swap.MetricThroughput:
		// What a server under load lets through is the number of requests in it over the time of one (Little's law).
		g.Metric = swap.MetricE2E
	}
	variation := s.variation(g.Metric)
	return variation / math.Sqrt(effective), effective, variation > 0
}

// logSlope is the derivative of ln q(p) at the gate's quantile, which is 1/(f(q)·q) with f the density there. It is that of a curve
// through the quantile and a reported neighbour on each side: straight in the normal score of p, which log-normal latencies are, or
// in its logit, which power-law tails are. Of all these the steepest, that is the flattest density, is taken; 0 without neighbours.
func (s *Stage) logSlope(g swap.Gate) float64 {
	p, _ := g.Stat.Quantile()
	at, ok := s.logFigure(g.Metric, g.Stat)
	if !ok {
		return 0
	}
	below, above := 0.0, 0.0
	for _, r := range reported {
		v, ok := s.logFigure(g.Metric, r.stat)
		switch {
		case !ok || r.p == p:
		case r.p < p:
			below = slopeAt(p, r.p, at-v)
		case above == 0:
			above = slopeAt(p, r.p, v-at)
		}
	}
	return max(below, above)
}

// slopeAt is the slope at p of a curve that rises by so much between p and q.
func slopeAt(p, q, rise float64) float64 {
	z, zq := stats.NormalQuantile(p), stats.NormalQuantile(q)
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	return rise * max(1/(density*math.Abs(zq-z)), 1/(p*(1-p)*math.Abs(logit(q)-logit(p))))
}

// variation is the standard deviation of a metric over its mean: as the tool reported it, else of the log-normal distribution through
// the median and that quantile for which it is widest, or the distance of mean and median, which no standard deviation is below.
// 0 where the stage tells nothing of it.
func (s *Stage) variation(m swap.Metric) float64 {
	mean, ok := s.Value(swap.Gate{Metric: m, Stat: swap.StatMean}).Get()
	if !ok || !(mean > 0) {
		return 0
	}
	if sd, ok := s.Summary[string(m)+"_std"]; ok {
		return sd / mean
	}
	median, ok := s.logFigure(m, swap.StatP50)
	if !ok {
		return 0
	}
	sigma := 0.0
	for _, r := range reported {
		if v, ok := s.logFigure(m, r.stat); ok && r.stat != swap.StatP50 {
			sigma = max(sigma, (v-median)/stats.NormalQuantile(r.p))
		}
	}
	if sigma == 0 {
		return 0
	}
	return max(math.Sqrt(math.Expm1(sigma*sigma)), math.Abs(mean-math.Exp(median))/mean)
}

func (s *Stage) logFigure(m swap.Metric, stat swap.Stat) (log float64, ok bool) {
	if _, ofGates := stat.Quantile(); !ofGates && s.Measured() {
		return 0, false
	}
	v, ok := s.Value(swap.Gate{Metric: m, Stat: stat}).Get()
	return math.Log(v), ok && v > 0
}
