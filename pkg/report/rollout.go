package report

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/rollout/readout"
	"github.com/swapgate/swapgate/pkg/swap"
)

type rolloutSection struct {
	Weights panel
	Rows    []windowRow
	// Evidence is what the windows showed beyond their sums; Watched is a sentence on windows that only kept watch.
	Evidence []evidenceRow
	Watched  string
	Final    string
	Missing  string
}

type windowRow struct {
	Index, Time, Asked, ReadBack string
	// Mismatch says that the gateway did not hold the weight that was set.
	Mismatch         bool
	Realised         string
	Requests, Failed swap.PerArm[string]
	TTFTP95          swap.PerArm[string]
	Action, Why      string
	// Tone is the look of the action: pass, fail or inconclusive.
	Tone string
}

// evidenceRow is what a window showed of its weight, the guard and the rule of decay.
type evidenceRow struct {
	Index, Weight, Requests, Sees, Closest, Decay string
	// Alarm marks a reading of the rule of decay that is above its threshold.
	Alarm bool
}

const weightsHeight = 190

func newRolloutSection(v swap.Verdict, ids *figureIDs) rolloutSection {
	s := rolloutSection{}
	if v.FinalWeights != nil {
		s.Final = traffic(v.FinalWeights)
	}
	if v.Rollout == nil || len(v.Rollout.Windows) == 0 {
		s.Missing = "n/a: no rollout window was observed in this run."
		return s
	}
	axis, points := weightsOverTime(v.Rollout.Windows)
	desc := fmt.Sprintf("The candidate's weight in percent over %d windows, with the share of requests that it answered. At the end: %s.",
		len(v.Rollout.Windows), traffic(&v.Rollout.Final))
	s.Weights = ids.panel("Candidate's share of traffic, in %", weightsHeight, func(size chart.Size) chart.Chart {
		return axis.Weights("Traffic weights over time", desc, size, points, float64(v.Rollout.Final.Candidate))
	})
	for _, w := range v.Rollout.Windows {
		s.Rows = append(s.Rows, newWindowRow(w))
		if w.Step != nil || w.Closest != nil || w.Decay != nil {
			s.Evidence = append(s.Evidence, newEvidenceRow(w))
		}
	}
	if n := v.Rollout.Watched; n > 0 {
		s.Watched = fmt.Sprintf("Windows that only kept watch while a person was waited for: %d. The last one of each wait is listed.", n)
	}
	return s
}

func newEvidenceRow(w swap.Window) evidenceRow {
	row := evidenceRow{Index: phrase.Count(w.Index), Weight: fmt.Sprintf("%d %%", w.Weights.Candidate), Requests: "n/a", Sees: "n/a"}
	if s := w.Step; s != nil {
		row.Requests = phrase.Count(s.Requests.Candidate)
		if s.Needed > 0 {
			row.Requests += " of " + phrase.Count(s.Needed)
		}
		if rise, ok := s.Sees.Get(); ok {
			row.Sees = fmt.Sprintf("+%.3g %%", 100*rise)
		}
	}
	row.Closest = phrase.Clean(readout.ClosestLine(w.Closest))
	row.Decay, row.Alarm = phrase.Clean(readout.DecayLine(w.Decay)), w.Decay != nil && w.Decay.Alarm
	return row
}

func weightsOverTime(windows []swap.Window) (chart.Timeline, []chart.WeightPoint) {
	var axis chart.Timeline
	var points []chart.WeightPoint
	for _, w := range windows {
		extend(&axis, w.Started)
		extend(&axis, w.Ended)
		axis.Bands = append(axis.Bands, chart.Band{Label: fmt.Sprintf("%d %%", w.Weights.Candidate), From: w.Started, To: w.Ended})
		p := chart.WeightPoint{From: w.Started, To: w.Ended, Asked: float64(w.Weights.Candidate)}
		if share, ok := realised(w).Get(); ok {
			p.Realised = swap.Of(share * 100)
		}
		points = append(points, p)
	}
	axis.To = axis.To.Add(axis.To.Sub(axis.From) / 20) // room to see what the weights were after the last window
	return axis, points
}

// realised is the share of requests that the candidate answered: by the gateway's own counters where it has them, else by
// the requests that were seen.
func realised(w swap.Window) swap.Value {
	b, hasBaseline := w.Arms.Baseline.GatewayRequests.Get()
	c, hasCandidate := w.Arms.Candidate.GatewayRequests.Get()
	if !hasBaseline || !hasCandidate {
		b, c = float64(w.Arms.Baseline.Requests), float64(w.Arms.Candidate.Requests)
	}
	return swap.Of(c / (b + c))
}

func newWindowRow(w swap.Window) windowRow {
	row := windowRow{
		Index: phrase.Count(w.Index), Time: clock(w.Started),
		Asked: fmt.Sprintf("%d %%", w.Weights.Candidate), ReadBack: fmt.Sprintf("%d %%", w.ReadBack.Candidate),
		Mismatch: w.ReadBack != w.Weights && w.Brake == nil, Realised: phrase.Quantity(realised(w), "fraction"),
		Action: phrase.Clean(string(w.Decision.Action)), Why: why(w), Tone: tone(w.Decision.Action),
	}
	for _, arm := range swap.Arms {
		a := w.Arms.Get(arm)
		*row.Requests.Ptr(arm) = phrase.Count(a.Requests)
		*row.Failed.Ptr(arm) = phrase.Count(a.Outcomes.Failed())
		*row.TTFTP95.Ptr(arm) = phrase.Quantity(a.TTFTP95ms, "ms")
	}
	return row
}

// why is what fired and what was decided, in sentences.
func why(w swap.Window) string {
	var said []string
	if w.GuardFired != nil {
		said = append(said, phrase.Reason(*w.GuardFired))
	}
	if w.Brake != nil {
		said = append(said, fmt.Sprintf("the observer set the weights back in %.0f ms", w.Brake.TookMS))
	}
	for _, r := range w.Decision.Reason {
		if sentence := phrase.Reason(r); w.GuardFired == nil || sentence != phrase.Reason(*w.GuardFired) {
			said = append(said, sentence)
		}
	}
	return strings.Join(said, "; ")
}

func tone(a swap.Action) string {
	switch a {
	case swap.ActionAdvance, swap.ActionPromote:
		return string(swap.Pass)
	case swap.ActionRollback:
		return string(swap.Fail)
	}
	return string(swap.Inconclusive)
}
