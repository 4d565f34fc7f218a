package hold

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// DefaultPrecision is a half-width at which four steps of equal length decide a margin of 10 % on the P99: pooled over
	// the steps, the difference of the arms is then known to within 0.15·√2/√4 ≈ 11 % on both sides, 9 % on one.
	DefaultPrecision = 0.15
	// DefaultCV is the limit that is commonly stated for the cv rule.
	DefaultCV = 0.15
)

const (
	tailQuantile = 0.99
	// fewestBeyond is the least number of requests beyond the P99 for which it is looked at. Below, its interval is set by a
	// handful of requests.
	fewestBeyond = 10
	// fewestTrendBlocks is the least number of blocks in which a trend is looked for: in fewer, hardly anything but a perfect one
	// would count.
	fewestTrendBlocks = 6
	// trendLevel is the p-value below which there is a trend. To take chance for a trend costs a few blocks, to overlook one
	// gives a step that is not steady; so it is larger than usual.
	trendLevel = 0.1
)

// tail is what a rule finds of one arm.
type tail struct {
	steady bool
	// words continue "the baseline's": how steady it is, or what it lacks.
	words string
}

func unsteady(format string, args ...any) tail { return tail{words: fmt.Sprintf(format, args...)} }

func (p Plan) tails(arms swap.PerArm[[]Block]) swap.PerArm[tail] {
	rule := p.trendRule
	if p.Extend.Rule == swap.SteadyCV {
		rule = p.cvRule
	}
	return swap.PerArm[tail]{Baseline: rule(arms.Baseline), Candidate: rule(arms.Candidate)}
}

// trendRule calls a tail steady when there are enough requests for a P99, neither the blocks' medians nor their tails rise or
// fall, and the interval of the P99 is narrow enough.
func (p Plan) trendRule(blocks []Block) tail {
	values := ttfts(blocks)
	if n, need := count(values), fewestRequests(); n < need {
		return unsteady("P99 of TTFT needs at least %d more requests (%d of %d)", need-n, n, need)
	}
	if k := len(blocks); k < fewestTrendBlocks {
		return unsteady("trend cannot be told before it has %d blocks", fewestTrendBlocks)
	}
	var lacks []string
	for _, q := range slices.Compact([]float64{0.5, tailOf(values)}) {
		if t := mannKendall(blockQuantiles(values, q)); t.p < trendLevel {
			lacks = append(lacks, fmt.Sprintf("%s of TTFT %s from block to block (Kendall's τ %+.2f, p %.2g)",
				percentile(q), t.word(), t.tau, t.p))
		}
	}
	p99 := intervalOf(values, tailQuantile, p.Level)
	if !(p99.width <= p.Extend.Precision) {
		lacks = append(lacks, p.imprecise(p99, blocks))
	}
	if len(lacks) > 0 {
		return tail{words: strings.Join(lacks, " and its ")}
	}
	return tail{steady: true, words: fmt.Sprintf("P99 of TTFT is %s ± %s without a trend",
		milliseconds(p99.quantile), percent(p99.width))}
}

// imprecise says how wide the interval is and what would narrow it. Its width shrinks with the square root of the number of
// blocks, unless one block is unlike the others.
func (p Plan) imprecise(p99 interval, blocks []Block) string {
	words := "P99 of TTFT has no upper bound yet"
	if !math.IsInf(p99.width, 1) && !math.IsNaN(p99.width) {
		words = fmt.Sprintf("P99 of TTFT is known to ± %s, not to ± %s", percent(p99.width), percent(p.Extend.Precision))
	}
	if k, share, ok := p99.dominant(); ok {
		return fmt.Sprintf("%s (block %d alone has %s of the slowest requests)", words, blocks[k].Block, percent(share))
	}
	ratio := p99.width / p.Extend.Precision
	need := math.Ceil(float64(len(blocks)) * (ratio*ratio - 1))
	if !(need < 1e6) {
		return words
	}
	return fmt.Sprintf("%s (about %.0f more %s)", words, need, plural(int(need), "block"))
}

// fewestRequests is the number of requests of which fewestBeyond are beyond the P99.
func fewestRequests() int { return int(math.Round(fewestBeyond / (1 - tailQuantile))) }

// tailOf is the highest quantile, up to the P99, beyond which every block has five requests. Farther out a block's quantile
// is little more than its largest value.
func tailOf(values [][]float64) float64 {
	const beyond = 5
	least := math.MaxInt
	for _, v := range values {
		least = min(least, len(v))
	}
	return max(0.5, min(tailQuantile, 1-beyond/float64(max(1, least))))
}

func ttfts(blocks []Block) [][]float64 {
	values := make([][]float64, len(blocks))
	for k := range blocks {
		values[k] = blocks[k].TTFT
	}
	return values
}

func count(values [][]float64) int {
	n := 0
	for _, v := range values {
		n += len(v)
	}
	return n
}

// blockQuantiles is the quantile of each block that has any requests.
func blockQuantiles(values [][]float64, q float64) []float64 {
	out := make([]float64, 0, len(values))
	for _, v := range values {
		if len(v) > 0 {
			out = append(out, stats.Quantile(v, q))
		}
	}
	return out
}

func steadyMessage(pairs int, tails swap.PerArm[tail]) string {
	return fmt.Sprintf("the tail is steady after %d %s on each arm: the baseline's %s, the candidate's %s",
		pairs, plural(pairs, "block"), tails.Baseline.words, tails.Candidate.words)
}

func unsteadyMessage(pairs int, tails swap.PerArm[tail]) string {
	arms := lacking(tails)
	if len(arms) == 1 {
		arms = append(arms, "the other arm is steady")
	}
	return fmt.Sprintf("the tail was not steady after the longest hold of %d %s on each arm: %s",
		pairs, plural(pairs, "block"), strings.Join(arms, "; "))
}
