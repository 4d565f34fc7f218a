package sizeclass

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Subject is that of this package's findings.
const Subject = "size_class"

// Meter gathers what the limits are about, for each arm and load step, in memory of fixed size. The zero value is empty and
// ready. It is not safe for concurrent use.
type Meter struct {
	steps map[place]*step
}

type place struct {
	arm  swap.Arm
	step int
}

type step struct {
	e2e, ttft, tpot      stats.Histogram
	requests, failed     int
	outOfMemory, answers int
}

// Add takes records in any order; they may be used again after it returns.
func (m *Meter) Add(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		if !r.Measured || swap.Outcome(r.Outcome) == swap.Abandoned {
			continue
		}
		if m.steps == nil {
			m.steps = map[place]*step{}
		}
		at := place{swap.Arm(r.Arm), int(r.Step)}
		if m.steps[at] == nil {
			m.steps[at] = &step{}
		}
		m.steps[at].add(r)
	}
}

// AddFailures takes records that Add has had, with the texts of their errors, and counts those that say that memory ran out.
func (m *Meter) AddFailures(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		s := m.steps[place{swap.Arm(r.Arm), int(r.Step)}]
		if s != nil && r.Measured && !r.Good() && saysOutOfMemory(r.Error) {
			s.outOfMemory++
		}
	}
}

func (s *step) add(r *rawlog.Record) {
	s.requests++
	if !r.Good() {
		s.failed++
		return
	}
	s.answers++
	for _, m := range []struct {
		to    *stats.Histogram
		value swap.Value
	}{{&s.e2e, r.E2E()}, {&s.ttft, r.TTFT()}, {&s.tpot, r.TPOT()}} {
		if v, has := m.value.Get(); has {
			m.to.Add(v)
		}
	}
}

// saysOutOfMemory recognises the messages of CUDA, PyTorch and the engines.
func saysOutOfMemory(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "out of memory") || strings.Contains(message, "outofmemory") ||
		strings.Contains(message, "out_of_memory") || strings.Contains(message, "cudaerrormemoryallocation")
}

// p90 counts failed requests as the slowest; absent where it falls on them.
func (s *step) p90(h *stats.Histogram) swap.Value {
	answers := float64(h.Count())
	return swap.Of(h.Quantile(.9 * (answers + float64(s.failed)) / answers))
}

// tokensPerSecond is the median rate at which answers come.
func (s *step) tokensPerSecond() swap.Value { return swap.Of(1e3 / s.tpot.Quantile(.5)) }

// Findings says for an arm, one step after the other, whether it is within the limits of its size. labels are those of the
// load steps, from step 1. There is none for an arm without requests.
func (m *Meter) Findings(arm swap.Arm, model string, size Size, labels []string) []swap.Finding {
	class := ClassOf(size.Total)
	var held, broken []string
	for _, at := range slices.SortedFunc(maps.Keys(m.steps), func(a, b place) int { return a.step - b.step }) {
		if at.arm != arm {
			continue
		}
		label := fmt.Sprintf("step %d", at.step)
		if at.step >= 1 && at.step <= len(labels) {
			label = labels[at.step-1]
		}
		numbers, within := m.steps[at].against(class.Limits)
		if within {
			held = append(held, label+" ("+numbers+")")
		} else {
			broken = append(broken, label+" ("+numbers+")")
		}
	}
	if len(held)+len(broken) == 0 {
		return nil
	}
	finding := swap.Finding{Severity: swap.Harmless, Subject: Subject, Message: fmt.Sprintf(
		"There is no history to compare the %s with. %s has %.3g billion parameters (told by %s; class %s): "+
			"usual are P90 ≤ %.0f ms, ≥ %.3g tok/s, out of memory < %.2f %%.",
		arm, model, size.Total, size.From, class.Name,
		class.Limits.LatencyP90MS, class.Limits.TokensPerSecond, 100*class.Limits.OutOfMemory)}
	if len(held) > 0 {
		finding.Message += " Within it: " + strings.Join(held, "; ") + "."
	}
	if len(broken) > 0 {
		finding.Severity = swap.Notable
		finding.Message += " Not within it: " + strings.Join(broken, "; ") + "."
		finding.Next = "These limits decide nothing: the gates do. Give the server more room, or model_sizes if the size is wrong."
	}
	return []swap.Finding{finding}
}

// against compares a step with the limits. The limit of latency is that of a whole request. What was not measured breaks
// nothing.
func (s *step) against(l Limits) (numbers string, within bool) {
	e2e, ttft, rate := s.p90(&s.e2e), s.p90(&s.ttft), s.tokensPerSecond()
	share := float64(s.outOfMemory) / float64(s.requests)
	numbers = fmt.Sprintf("P90 %s ms, first token %s ms, %s tok/s", e2e, ttft, rate)
	if s.outOfMemory > 0 {
		numbers += fmt.Sprintf(", %d of %d requests out of memory", s.outOfMemory, s.requests)
	}
	tooSlow := e2e.Or(0) > l.LatencyP90MS || rate.Or(l.TokensPerSecond) < l.TokensPerSecond || s.answers > 0 && !e2e.Valid()
	return numbers, !tooSlow && !(share > l.OutOfMemory)
}
