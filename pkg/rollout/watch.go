package rollout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/judge/guard"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// guardAlpha is the chance that the guard ever stops a candidate that is inside all margins.
	guardAlpha = .01
	// guardRequests is how many requests of each arm a slice needs.
	guardRequests = 20
	// sliceLength divides a window for the guard.
	sliceLength = 30 * time.Second
	// tailBeyond is how many latencies of the baseline are above the value that its later ones are compared with.
	tailBeyond = 10
	// fewestTail is the fewest latencies of the baseline that this value is taken from.
	fewestTail = 100
)

// guardSettings has smaller slices than the guard's default: a small weight gives the candidate few requests, and many small slices see
// more of them than few large ones. The smaller a slice, the more the differences are skewed, and the rarer false alarms are.
func guardSettings() guard.Settings {
	s := guard.Default()
	s.Alpha, s.MinRequests = guardAlpha, guardRequests
	return s
}

// source is where the numbers of a gate come from.
type source string

const (
	fromProbes     source = ""
	fromGateway    source = "gateway"
	fromPrometheus source = "Prometheus"
	fromFeedback   source = "feedback"
)

// watched is a gate that the guard holds in the rollout.
type watched struct {
	gate swap.Gate
	from source
	// query is the index of a query to Prometheus, and called its name.
	query  int
	called string
}

func (w watched) name() string {
	name := w.called
	if name == "" {
		name = w.gate.Name()
	}
	if w.from == fromProbes {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, w.from)
}

// watched are the gates that the guard holds, always in the same order. Left out are limits, which the candidate kept before; throughput,
// which follows the weights; and quantiles that are not about a rise. Errors are watched twice: among the probes, and among all requests
// by the gateway's count.
// Queries to Prometheus and what the application reports come last.
func (p Plan) watched() []watched { return append(p.fromRequests(), p.fromOutside()...) }

func (p Plan) fromRequests() []watched {
	var out []watched
	for _, g := range p.Gates {
		_, isQuantile := g.Stat.Quantile()
		if g.HasLimit() || g.Metric == swap.MetricThroughput || g.Metric == swap.MetricQuality || isQuantile && g.Better != swap.LowerIsBetter {
			continue
		}
		out = append(out, watched{gate: g, from: fromProbes})
		if g.Metric == swap.MetricErrorRate {
			out = append(out, watched{gate: g, from: fromGateway})
		}
	}
	return out
}

func (p Plan) fromOutside() []watched {
	var out []watched
	if p.Prometheus != nil {
		for i, q := range p.Prometheus.Queries {
			g := swap.Gate{Stat: swap.StatMean, Margin: q.Margin, Unit: q.Unit, Better: q.Better}
			out = append(out, watched{gate: g, from: fromPrometheus, query: i, called: q.Name})
		}
	}
	if p.Feedback != nil {
		for _, g := range []swap.Gate{
			{Metric: swap.MetricConversion, Margin: p.Feedback.ConversionMargin}, {Metric: swap.MetricQuality, Margin: p.Feedback.QualityMargin},
		} {
			g.Stat, g.Unit, g.Better = swap.StatMean, swap.Absolute, swap.HigherIsBetter
			out = append(out, watched{gate: g, from: fromFeedback, called: string(g.Metric)})
		}
	}
	return out
}

// Tail finds the value of the baseline that a quantile gate is watched at: the guard's T. It is the quantile of the first latencies, and
// stays what it is from then on.
type Tail struct {
	// Value is T in ms; 0 while there are too few latencies.
	Value float64 `json:"value,omitempty"`
	// Seen counts latencies so far, Top are the largest of them in descending order.
	Seen int       `json:"seen,omitempty"`
	Top  []float64 `json:"top,omitempty"`
}

// plus adds latencies in the order of time, as many as it takes.
func (t Tail) plus(p float64, latencies []float64) Tail {
	if t.Value > 0 {
		return t
	}
	want := int(math.Ceil(max(fewestTail, tailBeyond/(1-p)) - 1e-6))
	above := int(math.Round(float64(want) * (1 - p)))
	taken := latencies[:min(len(latencies), want-t.Seen)]
	top := append(slices.Clone(t.Top), taken...)
	slices.SortFunc(top, func(a, b float64) int { return cmp.Compare(b, a) })
	t.Seen, t.Top = t.Seen+len(taken), top[:min(len(top), above+1)]
	if t.Seen == want {
		return Tail{Value: t.Top[above]}
	}
	return t
}

// Watch is what the guard has seen of a rollout. Its size does not grow with the windows.
type Watch struct {
	Guard guard.State `json:"guard,omitzero"`
	// Tails has one entry a gate; of gates on quantiles alone it says something.
	Tails []Tail `json:"tails,omitempty"`
}

// observe adds a window, slice by slice. A quantile gate is watched from the window after the one in which T was found.
func (s Watch) observe(plan Plan, w swap.Window, ev Evidence) Watch {
	gates := plan.watched()
	if len(gates) == 0 {
		return s
	}
	next := Watch{Guard: s.Guard, Tails: make([]Tail, len(gates))}
	copy(next.Tails, s.Tails)
	watches := make([]guard.Watch, len(gates))
	for i, g := range gates {
		watches[i] = guard.Watch{Gate: g.gate, Tail: next.Tails[i].Value, Whole: g.from == fromPrometheus}
	}
	parts := cut(w, ev.Probes)
	slices := max(len(parts), len(ev.Feedback))
	for _, values := range ev.Online {
		slices = max(slices, len(values.Baseline))
	}
	for k := range slices {
		sums := make([]swap.PerArm[guard.Sum], len(gates))
		for i, g := range gates {
			switch {
			case g.from == fromProbes && k < len(parts):
				sums[i] = probeSums(watches[i], parts[k])
			case g.from == fromGateway && k == 0:
				sums[i] = gatewaySums(w)
			case g.from == fromPrometheus:
				sums[i] = onlineSums(ev.Online, g.query, k)
			case g.from == fromFeedback && k < len(ev.Feedback):
				sums[i] = feedbackSums(ev.Feedback[k], g.gate.Metric)
			}
		}
		next.Guard = next.Guard.Observe(guardSettings(), watches, sums)
	}
	for i, g := range gates {
		if p, isQuantile := g.gate.Stat.Quantile(); isQuantile {
			next.Tails[i] = next.Tails[i].plus(p, latencies(ev.Probes, g.gate.Metric))
		}
	}
	return next
}

// cut divides a window's records by the time at which they were planned.
func cut(w swap.Window, records []rawlog.Record) [][]rawlog.Record {
	length := w.Ended.Sub(w.Started)
	n := max(1, int(length/sliceLength))
	parts := make([][]rawlog.Record, n)
	for i := range records {
		k := 0
		if length > 0 {
			k = int(float64(n) * float64(records[i].PlannedUnixNS-w.Started.UnixNano()) / float64(length))
		}
		k = min(max(k, 0), n-1)
		parts[k] = append(parts[k], records[i])
	}
	return parts
}

// latencies are the baseline's good ones.
func latencies(records []rawlog.Record, m swap.Metric) []float64 {
	var out []float64
	for i := range records {
		if r := &records[i]; r.Good() && r.Arm == string(swap.Baseline) {
			if v, ok := r.PerRequest(m).Get(); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// probeSums counts for a gate. A failed request counts as the worst latency, and an abandoned one as none.
func probeSums(watch guard.Watch, records []rawlog.Record) (sums swap.PerArm[guard.Sum]) {
	_, isQuantile := watch.Gate.Stat.Quantile()
	if isQuantile && watch.Tail == 0 {
		return sums
	}
	for i := range records {
		r := &records[i]
		if r.Arm == "" || swap.Outcome(r.Outcome) == swap.Abandoned {
			continue
		}
		sum := sums.Ptr(swap.Arm(r.Arm))
		v, has := r.PerRequest(watch.Gate.Metric).Get()
		has = has && r.Good()
		switch {
		case watch.Gate.Metric == swap.MetricErrorRate:
			count(sum, !r.Good())
		case isQuantile && (has || !r.Good()):
			count(sum, !has || v > watch.Threshold(swap.Arm(r.Arm)))
		case has:
			sum.Num, sum.Den = sum.Num+v, sum.Den+1
		}
	}
	return sums
}

func count(sum *guard.Sum, bad bool) {
	sum.Den++
	if bad {
		sum.Num++
	}
}

func gatewaySums(w swap.Window) (sums swap.PerArm[guard.Sum]) {
	for _, arm := range swap.Arms {
		c := gatewayCounts(w.Arms.Get(arm))
		*sums.Ptr(arm) = guard.Sum{Num: float64(c.Failed), Den: float64(c.Requests)}
	}
	return sums
}

// alarm says why the guard fires, or nil.
func (s Watch) alarm(plan Plan) *swap.Reason {
	alarms := s.Guard.Alarms(guardSettings())
	if len(alarms) == 0 {
		return nil
	}
	g := plan.watched()[alarms[0].Watch]
	code := swap.ReasonGuardGate
	switch g.gate.Metric {
	case swap.MetricErrorRate:
		code = swap.ReasonGuardErrors
	case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E:
		code = swap.ReasonGuardLatency
	}
	return fired(code, fmt.Sprintf("%s is worse than its margin allows, as %d slices of both arms show (p = %.2g; limit %g at any time)",
		g.name(), alarms[0].Slices, alarms[0].P, guardAlpha))
}

// closest is the gate that is closest to an alarm; nil before any has enough slices.
func (s Watch) closest(plan Plan) *swap.GuardReading {
	worst, ok := s.Guard.Closest()
	if !ok {
		return nil
	}
	return &swap.GuardReading{Gate: plan.watched()[worst.Watch].name(), P: swap.Of(worst.P), Slices: worst.Slices}
}
