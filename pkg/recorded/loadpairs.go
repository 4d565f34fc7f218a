package recorded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Levels that differ can still be compared one way, if the latency of a service does not fall when its load rises: a candidate that
// carried more than the baseline and is within the margin would be so at the baseline's load, and one that carried less and is beyond
// the margin is worse at the baseline's load too. That is taken for granted between levels at which the client sent what it was asked
// to. A cold cache can break it at the lowest load: where the candidate's own figure falls by more than the margin between its levels on
// either side of the baseline's load, those are not compared.

// loadPair is a level of each run, and what comparing them can show.
type loadPair struct {
	swap.PerArm[*Stage]
	shows judge.Shows
	// beyond is the candidate's level on the other side of the baseline's load, where that is unlike and there is one.
	beyond *Stage
}

// pairing is how the levels of two runs of summaries are compared.
type pairing struct {
	// unlike is set where levels of different load are compared.
	unlike bool
	// all are the levels of the runs.
	all swap.PerArm[[]*Stage]
	// common are the levels that both runs have.
	common []loadPair
	// runs are the levels of unlike load that can be compared, in ascending order.
	runs swap.PerArm[[]*Stage]
	// uncovered are the baseline's levels above all of the candidate's.
	uncovered []string
}

// pairLevels compares equal levels, and unlike ones where fewer than half are equal and a run has only summaries.
func pairLevels(runs swap.PerArm[Run], common []swap.PerArm[*Stage]) pairing {
	var p pairing
	for _, c := range common {
		p.common = append(p.common, loadPair{PerArm: c})
	}
	fewest := min(len(runs.Baseline.Stages), len(runs.Candidate.Stages))
	if 2*len(common) >= fewest || runs.Baseline.measured() && runs.Candidate.measured() {
		return p
	}
	for _, arm := range swap.Arms {
		stages := runs.Get(arm).Stages
		*p.runs.Ptr(arm) = held(stages)
		for i := range stages {
			*p.all.Ptr(arm) = append(*p.all.Ptr(arm), &stages[i])
		}
	}
	for _, b := range p.runs.Baseline {
		if p.heavier(b) == nil && slices.ContainsFunc(p.runs.Candidate, func(c *Stage) bool { return alike(b, c) }) {
			p.uncovered = append(p.uncovered, b.Level.String())
		}
	}
	if p.unlike = len(p.shown()) > 0; !p.unlike {
		p.runs = swap.PerArm[[]*Stage]{}
	}
	return p
}

// held are the levels at which the client sent what it was asked to, in ascending order.
func held(stages []Stage) []*Stage {
	var out []*Stage
	for i := range stages {
		if stages[i].held() {
			out = append(out, &stages[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Stage) int { return a.Level.compare(b.Level) })
	return out
}

// shortOfRate is the share of the asked rate below which a level was not the load that it is named by.
const shortOfRate = .95

// held is taken for granted where the tool does not tell.
func (s *Stage) held() bool {
	sent, known := s.Sent.Get()
	return !known || sent >= shortOfRate*s.Level.Rate
}

func alike(a, b *Stage) bool { return a.Level.kind() == b.Level.kind() }

// heavier are the candidate's levels that carried no less than the baseline's, the nearest first.
func (p *pairing) heavier(b *Stage) []*Stage {
	var out []*Stage
	for _, c := range p.runs.Candidate {
		if alike(b, c) && (c.Level.Same(b.Level) || c.Level.compare(b.Level) > 0) {
			out = append(out, c)
		}
	}
	return out
}

// pairs are those of a gate. A heavier level of the candidate has to hold enough answers for the gate, if one does.
func (p *pairing) pairs(g swap.Gate, minTail int) []loadPair {
	if p.runs.Baseline == nil || p.runs.Candidate == nil {
		return p.common
	}
	var passing, failing []loadPair
	for _, b := range p.runs.Baseline {
		over, under := p.heavier(b), p.lighter(b)
		if len(over) > 0 {
			pair := loadPair{PerArm: swap.PerArm[*Stage]{Baseline: b, Candidate: over[0]}, shows: judge.ShowsPass, beyond: under}
			if enough := slices.IndexFunc(over, func(s *Stage) bool { return s.tail(g) >= float64(minTail) }); enough > 0 {
				pair.Candidate = over[enough]
			}
			if pair.Candidate.Level.Same(b.Level) {
				pair.shows, pair.beyond = judge.ShowsBoth, nil
			}
			passing = append(passing, pair)
		}
		if under != nil {
			pair := loadPair{PerArm: swap.PerArm[*Stage]{Baseline: b, Candidate: under}, shows: judge.ShowsFail}
			if len(over) > 0 {
				pair.beyond = over[0]
			}
			failing = append(failing, pair)
		}
	}
	return append(passing, failing...)
}

// lighter is the candidate's nearest level that carried less than the baseline's; nil where one carried the same.
func (p *pairing) lighter(b *Stage) *Stage {
	var nearest *Stage
	for _, c := range p.runs.Candidate {
		switch {
		case !alike(b, c):
		case c.Level.Same(b.Level):
			return nil
		case c.Level.compare(b.Level) < 0:
			nearest = c
		}
	}
	return nearest
}

// shown are pairs for people to look at: those that can show a pass, else those that can show a fail.
func (p *pairing) shown() []swap.PerArm[*Stage] {
	var passing, failing []swap.PerArm[*Stage]
	for _, pair := range p.pairs(swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatMean}, 0) {
		if pair.shows == judge.ShowsFail {
			failing = append(failing, pair.PerArm)
			continue
		}
		passing = append(passing, pair.PerArm)
	}
	if len(passing) == 0 {
		return failing
	}
	return passing
}

// finding says what was supposed in order to compare unlike loads.
func (p *pairing) finding() swap.Finding {
	message := "the runs have few load levels in common, so unlike ones are compared, supposing that latency does not fall when load " +
		"rises: a candidate passes at the load that is the same or the next higher, and fails at the same or the next lower one"
	if len(p.uncovered) > 0 {
		message += fmt.Sprintf("; the candidate held no load as high as the baseline's %s, so nothing is said of that",
			strings.Join(p.uncovered, "; "))
	}
	return swap.Finding{
		Severity: swap.Notable, Subject: "load", Message: message,
		Next: "drive both with the same load levels, given as numbers and not found by a sweep",
	}
}

// brokenDown names a load that the baseline held and the candidate did not hold, even at a lower level. It forbids a pass.
func brokenDown(runs swap.PerArm[Run]) []swap.Reason {
	for i := range runs.Candidate.Stages {
		c := &runs.Candidate.Stages[i]
		if c.held() {
			continue
		}
		for _, b := range held(runs.Baseline.Stages) {
			if alike(b, c) && (b.Level.Same(c.Level) || b.Level.compare(c.Level) > 0) {
				return []swap.Reason{{Code: swap.ReasonNotHeld, Subject: string(swap.Candidate), Message: fmt.Sprintf(
					"the client could send only %.4g req/s to the candidate at %s, and the baseline held %s", c.Sent.Or(0), c.Level, b.Level)}}
			}
		}
	}
	return nil
}

// falls reports whether the candidate's figure falls by more than the gate's margin when its load rises past the baseline's.
func (p loadPair) falls(g swap.Gate) bool {
	if p.beyond == nil || g.Better != swap.LowerIsBetter {
		return false
	}
	light, heavy := p.Candidate.Value(g).Or(0), p.beyond.Value(g).Or(0)
	if p.shows == judge.ShowsPass {
		light, heavy = heavy, light
	}
	if light <= 0 || heavy <= 0 {
		return false
	}
	if g.LogScale() {
		return heavy*(1+g.Margin) < light
	}
	return heavy+g.Margin < light
}
