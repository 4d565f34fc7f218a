package hold

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Flow holds sums over the requests of a block, from which follows how fast they were answered. The zero value is ready, and
// the flows of the parts of a block add up. Times are in seconds since the start of the block.
type Flow struct {
	Planned Times `json:"planned"`
	// Answered are the planned times of the requests that ended well.
	Answered Times `json:"answered"`
	// Took are the times from the plan to the end of the same requests; Cross is the sum of the products of both.
	Took  Times   `json:"took"`
	Cross float64 `json:"cross"`
}

// Times are sums over times.
type Times struct {
	N       int     `json:"n"`
	Sum     float64 `json:"sum"`
	Squares float64 `json:"squares"`
}

// Plan counts a request that was planned at a time.
func (f *Flow) Plan(at float64) { f.Planned.add(at) }

// Answer counts it once more if it ended well, so long after that time.
func (f *Flow) Answer(at, took float64) {
	f.Answered.add(at)
	f.Took.add(took)
	f.Cross += at * took
}

// Add adds another part of the same block.
func (f *Flow) Add(other Flow) {
	f.Planned.join(other.Planned)
	f.Answered.join(other.Answered)
	f.Took.join(other.Took)
	f.Cross += other.Cross
}

func (t *Times) add(v float64) { t.join(Times{1, v, v * v}) }

func (t *Times) join(other Times) {
	t.N += other.N
	t.Sum += other.Sum
	t.Squares += other.Squares
}

// spread is the sum of the squared deviations from the mean.
func (t Times) spread() float64 { return max(0, t.Squares-t.Sum*t.Sum/float64(max(1, t.N))) }

// pace is how fast the blocks of a window were answered, against their plan.
//
// Where a server keeps up, a request takes equally long whenever in the block it is planned, however long that is. Where it does
// not, a queue grows, and each takes longer than the one before. So the time over which answers end is that over which their
// requests were planned, stretched by the growth of what they take: b is the slope of the regression of one on the other, by
// least squares within blocks, and the stretch is 1 + b. The achieved rate is the share of requests that were answered over
// the stretch. How long answers take, and how much that differs between requests, is no part of it; the latter only makes it
// less certain. Nor is a server seen that begins everything at once and slows all of it alike: what it does to one block is
// what long answers are.
type pace struct {
	planned, answered int
	// slope is b, and error its standard error with so many degrees of freedom.
	slope, error, freedom float64
	// part is the time over which the answered requests were planned, as a part of that of all planned requests.
	part float64
}

func paceOf(blocks []Block) pace {
	p := pace{}
	var planned, answered, took, cross float64
	for _, b := range blocks {
		f := b.Flow
		p.planned += f.Planned.N
		p.answered += f.Answered.N
		planned += f.Planned.spread()
		answered += f.Answered.spread()
		took += f.Took.spread()
		cross += f.Cross - f.Answered.Sum*f.Took.Sum/float64(max(1, f.Answered.N))
	}
	p.freedom = float64(p.answered - len(blocks) - 1)
	p.slope = cross / answered
	p.error = math.Sqrt(max(0, took-p.slope*cross) / p.freedom / answered)
	p.part = math.Sqrt(answered / planned)
	return p
}

// stretch is the time over which answers ended, relative to the time over which requests were planned, for a slope; at least 1.
// A slope that cannot be told stretches nothing.
func (p pace) stretch(slope float64) float64 {
	if s := p.part * (1 + slope); p.freedom >= 1 && s > 1 {
		return s
	}
	return 1
}

// achieved is the rate of good answers relative to the planned rate, with its upper bound: it is at most that with
// probability 1−alpha or more. Half of alpha is for the share of requests that were answered, half for the stretch.
func (p pace) achieved(alpha float64) (rate, bound float64) {
	share := stats.Proportion{Successes: float64(p.answered), Trials: float64(p.planned)}
	_, most := share.Wilson(stats.NormalQuantile(1 - alpha/2))
	least := p.slope
	if p.freedom >= 1 {
		least -= stats.TQuantile(1-alpha/2, p.freedom) * p.error
	}
	return share.Share() / p.stretch(p.slope), most / p.stretch(least)
}
