package drift

import (
	"maps"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fewestBlocks of a step on either side: fewer have no spread to speak of.
const fewestBlocks = 2

// Noise is how much a run differs from the next one although nothing changed.
type Noise struct {
	// SD is the standard deviation between runs on the scale that is compared: of logarithms, or of the metric's unit. 0 where it is
	// not known.
	SD float64
	// Runs is how many runs SD was estimated from.
	Runs int
}

// Settings of a comparison.
type Settings struct {
	// Relative compares logarithms; the estimate is then a relative change. Otherwise it is a difference.
	Relative bool
	Better   swap.Direction
	// Level of each one-sided bound.
	Level float64
	Noise Noise
}

// Comparison is a statistic now against then.
type Comparison struct {
	// Baseline and Now are the typical values of a block: the mean over steps of the mean over blocks, geometric where relative.
	Baseline, Now float64
	Blocks        int
	BlocksThen    int
	// Worsening is signed so that above 0 is worse. Where either direction is bad it is the larger of both.
	Worsening Estimate
	// PerBlock over the root of Blocks is the part of the standard error that more blocks reduce; Fixed is the rest.
	PerBlock, Fixed float64
}

// Compare takes the values of blocks, step by step in the same order on both sides. The steps count alike. The standard error
// has three parts: the spread of blocks then, the spread of blocks now, and that between runs, which no number of blocks reduces.
// ok is false where no step has two blocks on either side, or a value is not usable: NaN, infinite, or for a relative
// comparison not above 0.
func Compare(then, now [][]float64, s Settings) (c Comparison, ok bool) {
	before, okBefore := levelOf(then, now, s.Relative)
	after, okAfter := levelOf(now, then, s.Relative)
	if !okBefore || !okAfter {
		return Comparison{}, false
	}
	between := s.Noise.part()
	c = Comparison{Baseline: before.mean, Now: after.mean, Blocks: after.blocks, BlocksThen: before.blocks}
	c.PerBlock = math.Sqrt(after.variance * float64(after.blocks))
	c.Fixed = math.Sqrt(before.variance + between.variance)
	theta, half := after.mean-before.mean, halfWidth(s.Level, before.part, after.part, between)
	if s.Relative {
		c.Baseline, c.Now = math.Exp(c.Baseline), math.Exp(c.Now)
	}
	c.Worsening = s.worsening(theta, half)
	return c, true
}

// ComparePaired is Compare for blocks that ran one schedule then and now: it takes the differences pair by pair, so that how the
// requests of a schedule happen to fall into its blocks is no noise. Its standard error has two parts: the spread of the
// differences and that between runs. ok is false where no step has two pairs on both sides, or a value is not usable.
func ComparePaired(then, now []Scheduled, s Settings) (c Comparison, ok bool) {
	var spread level
	var before, after, steps, weighted float64
	for i := range min(len(then), len(now)) {
		d, usable := differencesOf(then[i], now[i], s.Relative)
		if !usable {
			return Comparison{}, false
		}
		n := float64(len(d.change))
		if n < fewestBlocks {
			continue
		}
		sd := stats.StandardDeviation(d.change)
		v := sd * sd / n
		spread.mean += stats.Mean(d.change)
		spread.variance += v
		weighted += v * v / (n - 1)
		before, after, steps = before+stats.Mean(d.before), after+stats.Mean(d.after), steps+1
		c.BlocksThen, c.Blocks = c.BlocksThen+d.blocksThen, c.Blocks+d.blocks
	}
	if steps == 0 {
		return Comparison{}, false
	}
	if weighted > 0 {
		spread.df = spread.variance * spread.variance / weighted
	}
	spread.variance /= steps * steps
	between := s.Noise.part()
	c.Baseline, c.Now = before/steps, after/steps
	c.PerBlock, c.Fixed = math.Sqrt(spread.variance*float64(c.Blocks)), math.Sqrt(between.variance)
	if s.Relative {
		c.Baseline, c.Now = math.Exp(c.Baseline), math.Exp(c.Now)
	}
	c.Worsening = s.worsening(spread.mean/steps, halfWidth(s.Level, spread.part, between))
	return c, true
}

// Scheduled are the values of a step's blocks by the number of their pair, which names their schedule.
type Scheduled map[int][]float64

// differences are those of the pairs that both sides have, with the levels that they are between.
type differences struct {
	before, after, change []float64
	blocksThen, blocks    int
}

func differencesOf(then, now Scheduled, relative bool) (d differences, usable bool) {
	for _, pair := range slices.Sorted(maps.Keys(now)) {
		if len(then[pair]) == 0 {
			continue
		}
		before, okBefore := rescale(then[pair], relative)
		after, okAfter := rescale(now[pair], relative)
		if !okBefore || !okAfter {
			return differences{}, false
		}
		d.before, d.after = append(d.before, stats.Mean(before)), append(d.after, stats.Mean(after))
		d.change = append(d.change, stats.Mean(after)-stats.Mean(before))
		d.blocksThen, d.blocks = d.blocksThen+len(before), d.blocks+len(after)
	}
	return d, true
}

// part is one source of variance of a difference.
type part struct{ variance, df float64 }

// part of two runs' noise.
func (n Noise) part() part {
	if n.SD <= 0 {
		return part{}
	}
	return part{variance: 2 * n.SD * n.SD, df: max(1, efficiency*float64(n.Runs-1))}
}

// halfWidth is Welch's: the degrees of freedom follow from those of the parts (Satterthwaite 1946).
func halfWidth(level float64, parts ...part) float64 {
	total, weighted := 0.0, 0.0
	for _, p := range parts {
		total += p.variance
		if p.df > 0 {
			weighted += p.variance * p.variance / p.df
		}
	}
	if total == 0 {
		return 0
	}
	return stats.TQuantile(level, total*total/weighted) * math.Sqrt(total)
}

// level is the mean over steps of one side.
type level struct {
	part
	mean   float64
	blocks int
}

// levelOf one side; only steps that have enough blocks on the other side too count.
func levelOf(side, other [][]float64, relative bool) (l level, ok bool) {
	steps, weighted := 0.0, 0.0
	for i, values := range side {
		if len(values) < fewestBlocks || i >= len(other) || len(other[i]) < fewestBlocks {
			continue
		}
		scaled, usable := rescale(values, relative)
		if !usable {
			return level{}, false
		}
		n := float64(len(scaled))
		sd := stats.StandardDeviation(scaled)
		v := sd * sd / n
		l.mean += stats.Mean(scaled)
		l.variance += v
		weighted += v * v / (n - 1)
		l.blocks += len(scaled)
		steps++
	}
	if steps == 0 {
		return level{}, false
	}
	if weighted > 0 {
		l.df = l.variance * l.variance / weighted
	}
	l.mean, l.variance = l.mean/steps, l.variance/(steps*steps)
	return l, true
}

func rescale(values []float64, relative bool) (scaled []float64, usable bool) {
	scaled = make([]float64, len(values))
	for i, v := range values {
		if relative {
			v = math.Log(v)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		scaled[i] = v
	}
	return scaled, true
}

// worsening turns a difference into how much worse it is, as a person counts it: 20 % less throughput is 0.2 worse.
func (s Settings) worsening(theta, half float64) Estimate {
	up := Estimate{s.rise(theta), s.rise(theta - half), s.rise(theta + half)}
	down := Estimate{-up.Theta, -up.High, -up.Low}
	switch {
	case s.Better == swap.HigherIsBetter, s.Better == swap.Either && theta < 0:
		return down
	}
	return up
}

func (s Settings) rise(d float64) float64 {
	if s.Relative {
		return math.Expm1(d)
	}
	return d
}
