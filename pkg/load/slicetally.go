package load

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// SliceTally is a BlockTally on its way to another load worker, without its values, which are many and go beside it.
type SliceTally struct {
	Planned  int                `json:"planned"`
	Outcomes swap.OutcomeCounts `json:"outcomes"`
	Tokens   swap.Value         `json:"tokens"`
	Failed   int                `json:"failed"`
	Flow     hold.Flow          `json:"flow"`
	// Unread is an example of an answer that could not be read; nil if there is none.
	Unread *rawlog.Unread `json:"unread,omitempty"`
	// Lengths divide the values.
	Lengths [5]int `json:"lengths"`
}

// all are the series of a tally in the order in which they are sent.
func (t *BlockTally) all() [5]*series {
	return [5]*series{&t.ttft, &t.tpot, &t.e2e, &t.late, &t.lateKept}
}

// Pack gives the tally away: Merge on another load worker takes it.
func (t *BlockTally) Pack() (SliceTally, []float32) {
	s := SliceTally{Planned: t.planned, Outcomes: swap.OutcomeCounts{}, Tokens: t.tokens, Failed: t.failed, Flow: t.flow, Unread: t.unread}
	s.Outcomes.Add(t.outcomes)
	total := 0
	for _, one := range t.all() {
		total += len(*one)
	}
	values := make([]float32, 0, total)
	for i, one := range t.all() {
		s.Lengths[i] = len(*one)
		values = append(values, *one...)
	}
	return s, values
}

// Merge adds a packed tally of the same block: the two together are the tally of the records of both.
func (t *BlockTally) Merge(s SliceTally, values []float32) error {
	rest := len(values)
	for _, n := range s.Lengths {
		if n < 0 || n > rest {
			return fmt.Errorf("the tally of a slice has %d values, not %v", len(values), s.Lengths)
		}
		rest -= n
	}
	if total := s.Outcomes.Total(); rest != 0 || total != s.Planned {
		return fmt.Errorf("the tally of a slice does not add up: %d planned, %d outcomes, %d values too many", s.Planned, total, rest)
	}
	t.planned += s.Planned
	t.outcomes.Add(s.Outcomes)
	t.failed += s.Failed
	t.flow.Add(s.Flow)
	t.example(s.Unread)
	if n, ok := s.Tokens.Get(); ok {
		t.tokens = swap.Of(t.tokens.Or(0) + n)
	}
	for i, one := range t.all() {
		*one = append(*one, values[:s.Lengths[i]]...)
		values = values[s.Lengths[i]:]
	}
	return nil
}
