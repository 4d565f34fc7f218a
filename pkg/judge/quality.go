package judge

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Quality is compared by the mean score of the answers whose prompts say what a good one is. The two blocks of a pair ask the same
// prompts in the same order, so that resampling pairs resamples prompts with the answers of both arms: what makes a prompt hard is in
// both, and cancels. The prompts are those of the file; what the candidate would answer to others is not judged.

const scorePrompts = `write what a good answer is beside prompts of workload.prompt_file ("expect"), and measure again`

// quality compares mean scores. A failed request has none: the error rate is what judges those.
func (m *measured) quality(p pairs, settings swap.Judge) func() {
	m.refuseRatio()
	infer := m.mean(p, settings)
	return func() {
		infer()
		if m.refusal == nil {
			m.interval = unseenInterval{m.interval, float64(m.least())}
		}
	}
}

// unseenInterval is the interval of a mean score of n answers that leaves room for what none of them happened to show: by the rule of
// three (Hanley and Lippman-Hand 1983) a loss that happened in none of n answers may still happen in −ln(1−level)/n of all. Without
// it, arms that both got everything right would be equal for certain after ten answers.
type unseenInterval struct {
	interval
	n float64
}

func (i unseenInterval) bounds(level float64) (low, high float64) {
	low, high = i.interval.bounds(level)
	unseen := -math.Log1p(-level) / i.n
	return low - unseen, high + unseen
}

func (i unseenInterval) pAbove(x float64) float64 {
	return atLeast(i.interval.pAbove(x), func(level float64) bool {
		low, _ := i.bounds(level)
		return low > x
	})
}

func (i unseenInterval) pBelow(x float64) float64 {
	return atLeast(i.interval.pBelow(x), func(level float64) bool {
		_, high := i.bounds(level)
		return high < x
	})
}

// method is never that of an exact comparison: what was not seen is not known exactly.
func (i unseenInterval) method() swap.Method { return notExact(i.interval.method()) }

// grown is the interval that factor times as many blocks like these would give.
func (i unseenInterval) grown(factor float64) interval {
	i.n *= factor
	if w, ok := i.interval.(widerInterval); ok {
		student := w.student
		student.se /= math.Sqrt(factor)
		student.df *= factor
		i.interval = student
	}
	return i
}
