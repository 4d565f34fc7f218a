package calibration

import (
	"container/heap"
	"time"

	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/swap"
)

// send is a request as it will be sent, if the engine answers as fast as is expected.
type send struct {
	at time.Duration
	length
}

// mostForecast is how many requests are looked at, so that a block of hundreds of millions costs no memory.
const mostForecast = 500_000

// outlook is what the client will send over some time.
type outlook struct {
	length time.Duration
	// sends are in ascending order.
	sends []send
}

// forecast is what the client will send in one block of an open loop, in order: each turn of a unit when the one before it is
// answered, all as the step's own limits let them go, and none after the end of the block. Of a very large block it is the part
// with the highest rate.
func (c Config) forecast(units sample) (outlook, error) {
	starts, length := densest(c.Plan.StartsOf(c.Shard), c.Plan.Length(), max(1, mostForecast/c.Plan.UnitSize()))
	f, err := c.newForecaster(units, starts, length)
	if err != nil {
		return outlook{}, err
	}
	for len(f.due) > 0 {
		f.next()
	}
	return outlook{length, f.sends}, nil
}

// densest are the most starts in the shortest time, from 0, and how long they take. Where there are no more, it is all of them.
func densest(starts []time.Duration, length time.Duration, most int) ([]time.Duration, time.Duration) {
	if len(starts) <= most {
		return starts, length
	}
	best := 0
	for i := range len(starts) - most {
		if starts[i+most]-starts[i] < starts[best+most]-starts[best] {
			best = i
		}
	}
	part := make([]time.Duration, most)
	for i := range part {
		part[i] = starts[best+i] - starts[best]
	}
	return part, max(1, starts[best+most]-starts[best])
}

// forecaster plays a block without driving it.
type forecaster struct {
	config Config
	step   swap.Step
	units  sample
	length time.Duration
	bucket *pace.TokenBucket
	due    dueTurns
	// busy are the times at which places in flight become free; of interest only where their number is limited.
	busy  times
	sends []send
}

func (c Config) newForecaster(units sample, starts []time.Duration, length time.Duration) (*forecaster, error) {
	f := &forecaster{config: c, step: c.Shard.Step(c.Plan.Step), units: units, length: length}
	if limit := f.step.TokenRate; limit != nil {
		var err error
		if f.bucket, err = pace.NewTokenBucket(limit.Limit, limit.Burst.Std()); err != nil {
			return nil, err
		}
	}
	for unit, at := range starts {
		for k, t := range units.of(unit) {
			if !t.follows {
				f.due = append(f.due, dueTurn{at, unit, k})
			}
		}
	}
	heap.Init(&f.due)
	return f, nil
}

// next sends the turn that is due first.
func (f *forecaster) next() {
	d := heap.Pop(&f.due).(dueTurn) //nolint:forcetypeassert // its only type
	turns := f.units.of(d.unit)
	t := turns[d.turn]
	at := f.admit(d.at, t.length)
	end := at + f.config.answering(t.output)
	if f.step.MaxInFlight > 0 {
		heap.Push(&f.busy, end)
	}
	if at >= f.length {
		return
	}
	f.sends = append(f.sends, send{at, t.length})
	if k := d.turn + 1; k < len(turns) && turns[k].follows {
		heap.Push(&f.due, dueTurn{end + turns[k].think, d.unit, k})
	}
}

// admit is when the step's own limits let a request go.
func (f *forecaster) admit(at time.Duration, l length) time.Duration {
	if f.bucket != nil {
		at = f.bucket.Due(at, l.input+l.output)
	}
	if n := f.step.MaxInFlight; n > 0 && len(f.busy) >= n {
		at = max(at, heap.Pop(&f.busy).(time.Duration)) //nolint:forcetypeassert // its only type
	}
	return at
}

// dueTurn is a turn of a unit that is to be sent.
type dueTurn struct {
	at         time.Duration
	unit, turn int
}

// dueTurns is a heap, the earliest first and otherwise in the order of the plan.
type dueTurns []dueTurn

func (d dueTurns) Len() int      { return len(d) }
func (d dueTurns) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d dueTurns) Less(i, j int) bool {
	a, b := d[i], d[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.unit != b.unit:
		return a.unit < b.unit
	}
	return a.turn < b.turn
}

// Push is for container/heap.
func (d *dueTurns) Push(x any) { *d = append(*d, x.(dueTurn)) } //nolint:forcetypeassert // its only type

// Pop is for container/heap.
func (d *dueTurns) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// times is a heap, the earliest first.
type times []time.Duration

func (t times) Len() int           { return len(t) }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t times) Less(i, j int) bool { return t[i] < t[j] }

// Push is for container/heap.
func (t *times) Push(x any) { *t = append(*t, x.(time.Duration)) } //nolint:forcetypeassert // its only type

// Pop is for container/heap.
func (t *times) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}
