package hold

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// DefaultErrorRate and DefaultAchievedRate are limits that only a hopeless step breaks.
const (
	DefaultErrorRate    = 0.5
	DefaultAchievedRate = 0.5
)

const (
	// fewestJudged is the number of requests below which earlier blocks of the arm are taken in.
	fewestJudged = 50
	// fewestTotal is the number of requests that must all have gone wrong for a block to need no statistics.
	fewestTotal   = 3
	limitQuantile = 0.95
)

// brokenLimit says which limit the last of the blocks breaks on its arm, or nil.
//
// A share or a quantile breaks a limit when its lower confidence bound does, so that few requests cannot end a step by
// chance: Wilson's for shares, an order statistic for quantiles. As every block of the step is a chance to be wrong, the level
// is divided among all that it may have (Bonferroni). Where everything went wrong no bound is asked for. The bounds guard
// against small numbers only: a real outage, however short, counts if it spoils enough of a block.
func (p Plan) brokenLimit(done []Block) *swap.StepEnd {
	w := p.latest(done)
	for _, broken := range []func(window) string{
		p.tooManyErrors, p.tooSlowlyAnswered, p.slowFirstToken, p.slowAnswer, p.fullCache, p.busyGPU,
	} {
		if words := broken(w); words != "" {
			return &swap.StepEnd{Code: swap.EndedLimit, Arm: w.last.Arm, Message: fmt.Sprintf("the %s's %s", w.last.Arm, words)}
		}
	}
	return nil
}

// window is the latest block and, where it has few requests, blocks of the same arm before it.
type window struct {
	last   Block
	blocks []Block
	// alpha is the chance of being wrong that one look at one limit may take.
	alpha float64
}

func (p Plan) latest(done []Block) window {
	last := done[len(done)-1]
	w := window{last: last, alpha: (1 - p.Level) / float64(2*max(1, p.mostBlocks()))}
	requests := 0
	for _, b := range slices.Backward(done) {
		if b.Arm == last.Arm && requests < fewestJudged {
			w.blocks = append(w.blocks, b)
			requests += b.Planned
		}
	}
	return w
}

// where names blocks of one arm, the latest first.
func where(blocks ...Block) string {
	if len(blocks) == 1 {
		return fmt.Sprintf("in block %d", blocks[0].Block)
	}
	return fmt.Sprintf("in its last %d blocks", len(blocks))
}

// sum adds up a count over the blocks of the window.
func (w window) sum(count func(Block) int) int {
	n := 0
	for _, b := range w.blocks {
		n += count(b)
	}
	return n
}

func finished(b Block) int { return b.Outcomes.Total() - b.Outcomes[swap.Abandoned] }

func failed(b Block) int { return b.Outcomes.Failed() }

func (p Plan) tooManyErrors(w window) string {
	limit := p.Limits.ErrorRate
	failures, broken := w.exceeds(failed, finished, limit)
	if limit == 0 || !broken {
		return ""
	}
	return fmt.Sprintf("error rate was %s %s (%d of %d requests failed); the limit is %s",
		percent(failures.of()), failures.where, failures.bad, failures.all, percent(limit))
}

// tooSlowlyAnswered applies to an open loop only: a closed loop plans no more than what the server takes.
func (p Plan) tooSlowlyAnswered(w window) string {
	limit := p.Limits.AchievedRate
	if limit == 0 || p.Step.Rate == 0 {
		return ""
	}
	blocks := w.blocks
	if f := w.last.Flow; f.Planned.N >= fewestTotal && f.Answered.N == 0 {
		blocks = []Block{w.last}
	} else if _, most := paceOf(blocks).achieved(w.alpha); !(most < limit) {
		return ""
	}
	pace := paceOf(blocks)
	rate, _ := pace.achieved(w.alpha)
	words := fmt.Sprintf("achieved rate was %s of the planned rate %s (%d of %d requests ended well",
		percent(rate), where(blocks...), pace.answered, pace.planned)
	if s := pace.stretch(pace.slope); s > 1.05 {
		words += fmt.Sprintf("; their answers ended over %.2g times the planned time", s)
	}
	return fmt.Sprintf("%s); the limit is %s", words, percent(limit))
}

// share is bad requests among all, in some blocks.
type share struct {
	bad, all int
	where    string
}

func (s share) of() float64 { return float64(s.bad) / float64(s.all) }

// exceeds reports whether the share of bad among all is above the limit beyond chance.
func (w window) exceeds(bad, all func(Block) int, limit float64) (s share, broken bool) {
	if n := all(w.last); n >= fewestTotal && bad(w.last) == n {
		return share{n, n, where(w.last)}, limit < 1
	}
	s = share{w.sum(bad), w.sum(all), where(w.blocks...)}
	if s.all == 0 {
		return s, false
	}
	low, _ := stats.Proportion{Successes: float64(s.bad), Trials: float64(s.all)}.Wilson(stats.NormalQuantile(1 - w.alpha))
	return s, low > limit
}

func (p Plan) slowFirstToken(w window) string {
	return w.slow("TTFT", func(b Block) []float64 { return b.TTFT }, p.Limits.TTFTP95)
}

func (p Plan) slowAnswer(w window) string {
	return w.slow("E2E", func(b Block) []float64 { return b.E2E }, p.Limits.E2EP95)
}

// slow says that the P95 of a latency is above the limit beyond chance. Failed requests count as the worst.
func (w window) slow(name string, of func(Block) []float64, limit swap.Duration) string {
	if limit <= 0 {
		return ""
	}
	var values []float64
	for _, b := range w.blocks {
		values = append(values, of(b)...)
	}
	slices.Sort(values)
	failures := w.sum(func(b Block) int { return b.Failed })
	n, at := len(values)+failures, func(rank int) float64 { return orWorst(values, rank) }
	rank := lowerRank(n, limitQuantile, w.alpha)
	if rank == 0 || !(at(rank) > float64(limit.Std())/float64(time.Millisecond)) {
		return ""
	}
	estimate := at(int(math.Ceil(limitQuantile * float64(n))))
	return fmt.Sprintf("P95 of %s was %s %s (%d requests%s); the limit is %s",
		name, estimateWords(estimate), where(w.blocks...), n, failureWords(failures), limit)
}

// orWorst is the value of a rank (from 1), +Inf for a failed request.
func orWorst(sorted []float64, rank int) float64 {
	if rank > len(sorted) {
		return math.Inf(1)
	}
	return sorted[rank-1]
}

func estimateWords(v float64) string {
	if math.IsInf(v, 1) {
		return "that of a failed request"
	}
	return milliseconds(v)
}

func failureWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of which failed and count as the worst", n)
}

func (p Plan) fullCache(w window) string {
	return above("KV cache was filled up to", w.last, w.last.KVUsage, p.Limits.KVUsage)
}

func (p Plan) busyGPU(w window) string {
	return above("GPU was in use up to", w.last, w.last.GPUUtilization, p.Limits.GPUUtilization)
}

func above(what string, b Block, seen swap.Value, limit float64) string {
	v, ok := seen.Get()
	if limit == 0 || !ok || v <= limit {
		return ""
	}
	return fmt.Sprintf("%s %s in block %d; the limit is %s", what, percent(v), b.Block, percent(limit))
}
