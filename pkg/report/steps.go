package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

type stepSection struct {
	Figures  []figure
	Rows     []stepRow
	Outcomes []outcomeRow
	Ends     []endRow
	Capacity capacityPart
	// Reaction is nil where it was not asked.
	Reaction *reactionPart
	Missing  string
}

type stepRow struct {
	Label, Arm                      string
	Requests, Failed                string
	TTFTP50, TTFTP95, TTFTP99, TPOT string
	Throughput                      string
}

// outcomeRow accounts for every planned request of one arm in one step.
type outcomeRow struct {
	Label, Arm    string
	Planned, Good string
	Failures      string
	Discarded     string
}

// stepMeasure is one chart of the section.
type stepMeasure struct {
	name, unit string
	factor     float64
	of         func(StepPoint) swap.Value
}

var stepMeasures = [...]stepMeasure{
	{"TTFT P50", "ms", 1, func(p StepPoint) swap.Value { return p.TTFTP50ms }},
	{"TTFT P95", "ms", 1, func(p StepPoint) swap.Value { return p.TTFTP95ms }},
	{"TTFT P99", "ms", 1, func(p StepPoint) swap.Value { return p.TTFTP99ms }},
	{"TPOT P50", "ms", 1, func(p StepPoint) swap.Value { return p.TPOTP50ms }},
	{"Throughput", "tokens/s", 1, func(p StepPoint) swap.Value { return p.Throughput }},
	{"Failed requests", "%", 100, func(p StepPoint) swap.Value { return p.ErrorShare }},
}

func newStepSection(d Data, ids *figureIDs) stepSection {
	s := stepSection{
		Outcomes: outcomeRows(d.Verdict.Steps), Ends: endRows(d.Verdict.Steps), Capacity: newCapacityPart(d.Verdict),
		Reaction: newReactionPart(d.Verdict.Reaction),
	}
	if len(d.Steps) == 0 {
		s.Missing = unmeasured(d.Verdict, "load step was measured")
		return s
	}
	labels := make([]string, len(d.Steps))
	for i, step := range d.Steps {
		labels[i] = step.Label
	}
	axis := newStepAxis(labels)
	for _, m := range stepMeasures {
		s.Figures = append(s.Figures, m.figure(d.Steps, axis, ids))
	}
	for _, step := range d.Steps {
		for _, arm := range swap.Arms {
			s.Rows = append(s.Rows, newStepRow(step.Label, arm, step.Arms.Get(arm)))
		}
	}
	return s
}

func (m stepMeasure) figure(steps []Step, axis stepAxis, ids *figureIDs) figure {
	var arms swap.PerArm[[]swap.Value]
	for _, s := range steps {
		for _, arm := range swap.Arms {
			v := m.of(s.Arms.Get(arm))
			if f, ok := v.Get(); ok {
				v = swap.Of(f * m.factor)
			}
			*arms.Ptr(arm) = append(arms.Get(arm), v)
		}
	}
	desc := fmt.Sprintf("%s in %s at each of %d load steps, for both arms. The table below has the numbers.", m.name, m.unit, len(steps))
	heading := fmt.Sprintf("%s in %s, by %s", m.name, m.unit, axis.By)
	return ids.figure(heading, chart.Levels(m.name+" by load step", desc, columnSize, axis.Labels, arms))
}

func newStepRow(label string, arm swap.Arm, p StepPoint) stepRow {
	failed := phrase.Count(p.Failed)
	if p.Failed > 0 {
		failed += " (" + phrase.Quantity(p.ErrorShare, "fraction") + ")"
	}
	return stepRow{
		Label: phrase.Clean(label), Arm: string(arm), Requests: phrase.Count(p.Requests), Failed: failed,
		TTFTP50: phrase.Quantity(p.TTFTP50ms, "ms"), TTFTP95: phrase.Quantity(p.TTFTP95ms, "ms"),
		TTFTP99: phrase.Quantity(p.TTFTP99ms, "ms"), TPOT: phrase.Quantity(p.TPOTP50ms, "ms"),
		Throughput: phrase.Quantity(p.Throughput, "tok/s"),
	}
}

func outcomeRows(steps []swap.StepResult) []outcomeRow {
	var rows []outcomeRow
	for _, s := range steps {
		for _, arm := range swap.Arms {
			outcomes := s.Outcomes.Get(arm)
			rows = append(rows, outcomeRow{
				Label: phrase.Clean(s.Label), Arm: string(arm), Planned: phrase.Count(s.Planned.Get(arm)),
				Good: phrase.Count(good(outcomes)), Failures: failures(outcomes), Discarded: phrase.Count(s.Discarded),
			})
		}
	}
	return rows
}

func good(c swap.OutcomeCounts) int {
	n := 0
	for o, count := range c {
		if o.Good() {
			n += count
		}
	}
	return n
}

// failures lists the classes that are not good, the most frequent first.
func failures(c swap.OutcomeCounts) string {
	var bad []swap.Outcome
	for o, n := range c {
		if !o.Good() && n > 0 {
			bad = append(bad, o)
		}
	}
	slices.SortFunc(bad, func(a, b swap.Outcome) int {
		if c[a] != c[b] {
			return c[b] - c[a]
		}
		return strings.Compare(string(a), string(b))
	})
	named := make([]string, len(bad))
	for i, o := range bad {
		named[i] = phrase.Clean(string(o)) + " " + phrase.Count(c[o])
	}
	if len(named) == 0 {
		return "none"
	}
	return strings.Join(named, ", ")
}
