package rollout

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/stats/conformal"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Decay is what the rule of decay remembers between windows.
type Decay struct {
	ACI *conformal.State `json:"aci,omitempty"`
	// Alpha is the coefficient before the windows in Last, which are the last four whose conversion is known.
	Alpha float64               `json:"alpha,omitempty"`
	Last  []classic.AlphaWindow `json:"last,omitempty"`
}

// alphaKept is the three windows that classic_alpha compares and the one before them.
const alphaKept = 4

// aciConfig aims at one alarm in a hundred windows, starts at one in twenty, and looks back at the last hundred: with twenty healthy
// windows it has a threshold.
func aciConfig() conformal.Config {
	return conformal.Config{Target: .01, Step: .02, Window: 100, Fewest: 19}
}

const aciStart = .05

// Classic is the classic rule with the options of a plan.
func Classic(d swap.Decay) classic.AlphaDecay {
	return classic.AlphaDecay{
		DeltaUnit: classic.DeltaUnit(d.DeltaUnit), DropSemantics: classic.DropSemantics(d.DropSemantics),
		ErrorRiseUnit: classic.DeltaUnit(d.ErrorRiseUnit), Start: d.Start, AllowUnreachable: d.AllowUnreachable,
	}
}

// observe adds a window. base is what the candidate is held to in it.
func (d Decay) observe(plan swap.Decay, w swap.Window, base swap.WindowStats, feedback []swap.WindowFeedback) (Decay, *swap.DecayReading) {
	switch plan.Rule {
	case swap.DecayACI:
		return d.conformal(base, w.Arms.Candidate)
	case swap.DecayAlpha:
		return d.classic(plan, feedback, failedShare(w.Arms.Candidate))
	}
	return d, nil
}

// conformal judges the logarithm of the candidate's TTFT P95 over the baseline's. Each window is one to compare later ones with, or an
// alarm at a new level would never end.
func (d Decay) conformal(base, cand swap.WindowStats) (Decay, *swap.DecayReading) {
	config, state := aciConfig(), conformal.State{Level: aciStart}
	if d.ACI != nil {
		state = *d.ACI
	}
	r := &swap.DecayReading{Rule: swap.DecayACI, Coefficient: state.Level}
	b, hasBase := base.TTFTP95ms.Get()
	c, hasCand := cand.TTFTP95ms.Get()
	if !hasBase || !hasCand || base.Requests < minLatencyRequests || cand.Requests < minLatencyRequests || b <= 0 || c <= 0 {
		r.Note = fmt.Sprintf("fewer than %d latencies of an arm", minLatencyRequests)
		return d, r
	}
	next, judged, err := config.Next(state, rounded(math.Log(c/b)), true)
	if err != nil {
		r.Note = err.Error()
		return d, r
	}
	r.Value, r.Coefficient, r.Alarm = swap.Of(c/b), next.Level, judged.Alarm
	switch {
	case !judged.Judged:
		r.Note = fmt.Sprintf("%d of %d windows to compare with", len(state.Healthy), config.Fewest)
	case math.IsInf(judged.Threshold, 1):
		r.Note = fmt.Sprintf("%d windows are too few for a threshold at the level %.2g", len(state.Healthy), state.Level)
	default:
		r.Threshold = swap.Of(math.Exp(judged.Threshold))
	}
	return Decay{ACI: &next}, r
}

// rounded keeps four digits behind the point, a hundredth of a percent: the state is kept in every window of the history.
func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// classic follows α through the windows whose conversion is known now, and judges the last three. Errors are those of the window in
// which that is so. Where none is known it says so; where several are, the last one speaks, or the first that asks for a rollback.
func (d Decay) classic(plan swap.Decay, feedback []swap.WindowFeedback, errors swap.Value) (Decay, *swap.DecayReading) {
	rule := Classic(plan)
	if d.Alpha == 0 {
		d.Alpha = rule.Read(nil).Alpha
	}
	r := d.reading(rule)
	r.Value, r.Threshold, r.Alarm, r.Note = swap.Absent(), swap.Absent(), false, "no conversion of both arms is known by now"
	for _, f := range feedback {
		base, hasBase := f.Conversion.Baseline.Mean.Get()
		cand, hasCand := f.Conversion.Candidate.Mean.Get()
		delta := rule.DeltaUnit.Delta(base, cand)
		if !hasBase || !hasCand || math.IsNaN(delta) || math.IsInf(delta, 0) || !errors.Valid() {
			continue
		}
		d = d.follow(rule, classic.AlphaWindow{Delta: delta, ErrorRate: errors.Or(0)})
		if r = d.reading(rule); r.Alarm {
			break
		}
	}
	return d, r
}

// follow adds a window, and forgets those that can no longer matter.
func (d Decay) follow(rule classic.AlphaDecay, w classic.AlphaWindow) Decay {
	d.Last = append(d.Last[:len(d.Last):len(d.Last)], w)
	if len(d.Last) > alphaKept {
		d.Alpha, d.Last = rule.Next(d.Alpha, d.Last[0].Delta), d.Last[1:]
	}
	return d
}

func (d Decay) reading(rule classic.AlphaDecay) *swap.DecayReading {
	rule.Start = d.Alpha
	found := rule.Read(d.Last)
	return &swap.DecayReading{
		Rule: swap.DecayAlpha, Coefficient: found.Alpha, Value: swap.Of(found.Value), Threshold: swap.Of(found.Threshold), Alarm: found.Fires,
		Note: found.Refusal,
	}
}

// failedShare is of the probes, or of all requests by the gateway's count where that has any.
func failedShare(w swap.WindowStats) swap.Value {
	c := gatewayCounts(w)
	if c.Requests == 0 {
		c = countsOf(w)
	}
	if c.Requests == 0 {
		return swap.Absent()
	}
	return swap.Of(c.rate())
}

// decayed says why classic_alpha asks for a rollback, or nil. The alarms of aci decide nothing.
func decayed(r *swap.DecayReading) *swap.Reason {
	if r == nil || r.Rule != swap.DecayAlpha || !r.Alarm {
		return nil
	}
	return fired(swap.ReasonDecay, fmt.Sprintf("classic_alpha: the coefficient fell to %.3g, by %.0f %% (limit %.0f %%), and errors rose",
		r.Coefficient, 100*r.Value.Or(0), 100*r.Threshold.Or(0)))
}
