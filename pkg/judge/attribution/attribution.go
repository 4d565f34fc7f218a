// Package attribution says which layer carries the difference of latency between the arms. It is pure.
//
// The time from the plan to the last token is split into parts that follow each other, so that none counts twice: the client's lag,
// the wait for the first token, and decoding. The lag is of the system. Of the wait, what a quick request of the block waits too
// (its 5th percentile) is of the model, since it is there without a queue, and the rest, which is queueing, of the system. The
// difference of decoding is split exactly into that of the number of tokens, which is of the data, and that of the time for each,
// which is of the model.
package attribution

import (
	"cmp"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	resamples = 499
	// seed is fixed, so that the same records always give the same confidence.
	seed = 0x6c61796572
	// fewestPairs of blocks have a standard error that is worth something.
	fewestPairs = 4
	// clear is how many standard errors a difference must be away from 0.
	clear = 2.5
	// tie is how close two shares are for their order to be chance.
	tie = 0.1
	// quick is the quantile of the wait that is taken to be without a queue.
	quick = 0.05
)

// Collector keeps the parts of each good measured request. Records of different blocks may be added at the same time.
type Collector struct{ sealed rawlog.PerBlock[block] }

type block struct {
	step, pair int
	arm        swap.Arm
	parts      []parts
	floor      float64
}

// parts of request seq are in ms; tokens are those after the first.
type parts struct {
	seq                        int32
	late, wait, decode, tokens float64
}

// NewCollector has the sealed blocks of the manifests, without records.
func NewCollector(manifests []swap.StepManifest) *Collector {
	return &Collector{rawlog.NewPerBlock(rawlog.Sealed(manifests), func(b swap.BlockResult) block {
		return block{step: b.Step, pair: b.Pair, arm: b.Arm}
	})}
}

// Add takes records; they may be used again after it returns. A request without a first token or a token count has no parts.
func (c *Collector) Add(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		b := c.sealed.Of(r)
		if b == nil || !r.Measured || !r.Good() {
			continue
		}
		wait, waits := r.TTFT().Get()
		end, ends := r.E2E().Get()
		tokens, counted := r.Tokens().Get()
		if waits && ends && counted && tokens >= 1 {
			b.parts = append(b.parts, parts{r.Seq, r.ClientLate().Or(0), wait, end - wait, tokens - 1})
		}
	}
}

// Swap takes the candidate for the baseline, and the other way round.
func (c *Collector) Swap() {
	for i := range c.sealed.Blocks {
		c.sealed.Blocks[i].arm = c.sealed.Blocks[i].arm.Other()
	}
}

// deltas are the sums over a pair of blocks of what each layer adds, in the order of swap.Layers.
type deltas struct {
	layers [3]float64
	n      float64
}

// Attribution is nil where fewer than four pairs of blocks have requests to match.
func (c *Collector) Attribution() *swap.Attribution {
	pairs, strata := c.pairs()
	if len(pairs) < fewestPairs {
		return nil
	}
	ones := slices.Repeat([]float64{1}, len(pairs))
	means := weigh(pairs, ones)
	total := sum(means)
	se := stats.StandardDeviation(stats.Bootstrap(strata, resamples, seed, func(w []float64) float64 { return sum(weigh(pairs, w)) }))
	a := &swap.Attribution{Pairs: len(pairs), DeltaMS: swap.Of(total), ErrorMS: swap.Of(se), Layers: make([]swap.LayerShare, len(means))}
	for _, p := range pairs {
		a.Requests += int(p.n)
	}
	for l, name := range swap.Layers {
		a.Layers[l] = swap.LayerShare{Layer: name, DeltaMS: swap.Of(means[l]), Share: swap.Of(means[l] / total)}
		if a.DiffTrace == "" && means[l] > 0 {
			a.DiffTrace = name
		}
	}
	if !(math.Abs(total) > clear*se) {
		return a
	}
	at, tied := carrier(means)
	a.Layer, a.TieBroken = swap.Layers[at], tied
	same := stats.Bootstrap(strata, resamples, seed, func(w []float64) float64 {
		if largest(weigh(pairs, w)) == at {
			return 1
		}
		return 0
	})
	a.Confidence = swap.Of(stats.Mean(same))
	return a
}

// pairs are in the order of steps and pairs, so that nothing depends on the order of a map.
func (c *Collector) pairs() (all []deltas, strata stats.Strata) {
	type place struct{ step, pair int }
	matched := map[place]swap.PerArm[*block]{}
	for i := range c.sealed.Blocks {
		b := &c.sealed.Blocks[i]
		b.seal()
		at := place{b.step, b.pair}
		both := matched[at]
		*both.Ptr(b.arm) = b
		matched[at] = both
	}
	var places []place
	for at, both := range matched {
		if both.Baseline != nil && both.Candidate != nil {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.pair, b.pair)) })
	for _, at := range places {
		if d := between(matched[at].Baseline, matched[at].Candidate); d.n > 0 {
			all, strata = append(all, d), append(strata, at.step)
		}
	}
	return all, strata.MergeSingles()
}

// seal puts the requests into the order of the schedule and finds the quick wait.
func (b *block) seal() {
	slices.SortFunc(b.parts, func(p, q parts) int { return cmp.Compare(p.seq, q.seq) })
	waits := make([]float64, 0, len(b.parts))
	for _, p := range b.parts {
		waits = append(waits, p.wait)
	}
	slices.Sort(waits)
	b.floor = stats.Quantile(waits, quick)
}

func between(base, cand *block) (d deltas) {
	model := cand.floor - base.floor
	rest := cand.parts
	for _, p := range base.parts {
		for len(rest) > 0 && rest[0].seq < p.seq {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0].seq != p.seq {
			continue
		}
		q := rest[0]
		length, speed := decoding(p, q)
		d.layers[0] += length
		d.layers[1] += q.late - p.late + q.wait - p.wait - model
		d.layers[2] += model + speed
		d.n++
	}
	return d
}

// decoding splits a difference so that both parts add up to it and neither arm comes first: each factor changes at the mean of
// the other. Where one arm has a single token, there is no time for each, and all of it is length.
func decoding(p, q parts) (length, speed float64) {
	if p.tokens == 0 || q.tokens == 0 {
		return q.decode - p.decode, 0
	}
	a, b := p.decode/p.tokens, q.decode/q.tokens
	return (q.tokens - p.tokens) * (a + b) / 2, (b - a) * (p.tokens + q.tokens) / 2
}

// weigh is the mean per request of each layer.
func weigh(pairs []deltas, weights []float64) (means [3]float64) {
	n := 0.
	for k, p := range pairs {
		n += weights[k] * p.n
		for l, v := range p.layers {
			means[l] += weights[k] * v
		}
	}
	for l := range means {
		means[l] /= n
	}
	return means
}

func sum(v [3]float64) float64 { return v[0] + v[1] + v[2] }

// largest is the layer with the largest part in the direction of the whole difference.
func largest(v [3]float64) int {
	sign, at := math.Copysign(1, sum(v)), 0
	for l := range v {
		if sign*v[l] > sign*v[at] {
			at = l
		}
	}
	return at
}

// carrier is the largest, or the first in the order of swap.Layers that is less than a tie away from it.
func carrier(v [3]float64) (at int, tied bool) {
	most, total := largest(v), sum(v)
	for l := range v {
		if (v[most]-v[l])/total < tie {
			return l, l != most
		}
	}
	return most, false
}
