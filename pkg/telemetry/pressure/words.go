package pressure

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// words tells what is known of the cache in the step.
func (s StepCache) words(preempted swap.Value) string {
	parts := []string{usageWords(s.PeakUsage, s.Before.Usage, s.After.Usage), preemptionWords(preempted)}
	if hits := s.hitRate(); hits.Valid() {
		words := "prefix hit rate " + percent(hits.Or(0))
		if before := s.Before.hitRate(); before.Valid() {
			words += " after " + percent(before.Or(0)) + " before the step"
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, ", ")
}

func usageWords(peak, before, after swap.Value) string {
	var words string
	if v, known := peak.Get(); known {
		words = "up to " + percent(v) + " in use"
	} else {
		words = "usage during the step not seen"
	}
	from, known := before.Get()
	if to, also := after.Get(); known && also {
		words += fmt.Sprintf(" (%s before and %s after)", percent(from), percent(to))
	}
	return words
}

func preemptionWords(preempted swap.Value) string {
	n, known := preempted.Get()
	switch {
	case !known:
		return "preemptions not reported"
	case n == 1:
		return "1 preemption"
	}
	return fmt.Sprintf("%.0f preemptions", n)
}

// hitRate is the share of looked-up prompt tokens that the prefix cache held during the step, or the engine's own rate after it.
func (s StepCache) hitRate() swap.Value {
	during := ratio(growth(s.Before.PrefixHits, s.After.PrefixHits), growth(s.Before.PrefixQueries, s.After.PrefixQueries))
	if during.Valid() {
		return during
	}
	return s.After.PrefixHitShare
}

// hitRate is that share since the engine started, or the engine's own rate.
func (c CacheState) hitRate() swap.Value {
	if all := ratio(c.PrefixHits, c.PrefixQueries); all.Valid() {
		return all
	}
	return c.PrefixHitShare
}

func ratio(part, whole swap.Value) swap.Value {
	p, known := part.Get()
	w, counted := whole.Get()
	if !known || !counted || w <= 0 {
		return swap.Absent()
	}
	return share(p / w)
}

// percent writes a share with no more digits than it deserves.
func percent(share float64) string {
	digits := 0
	if share < 0.0995 {
		digits = 1
	}
	return strconv.FormatFloat(100*share, 'f', digits, 64) + " %"
}
