package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/load/instrument/lateness"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// sends is how late the client sent to each arm by the raw records, and how late it may.
type sends struct {
	late    swap.PerArm[*lateness.Tally]
	limitMS float64
	pairs   pairs
}

func sendsOf(e Evidence, p pairs) sends {
	median := stats.Quantile(p.pool(swap.Baseline, swap.MetricTTFT).Sorted(), .5)
	return sends{
		late:    swap.PerArm[*lateness.Tally]{Baseline: latenessOf(p, swap.Baseline), Candidate: latenessOf(p, swap.Candidate)},
		limitMS: lateness.LimitMS(e.SendLateness, swap.Of(median)),
		pairs:   p,
	}
}

func latenessOf(p pairs, arms ...swap.Arm) *lateness.Tally {
	var tally lateness.Tally
	for _, arm := range arms {
		for k := range p.list {
			requests := &p.list[k].blocks.Get(arm).Requests
			for i, late := range requests.clientLate {
				if !math.IsNaN(late) {
					tally.AddOwn(late, requests.connReused[i])
				}
			}
		}
	}
	return &tally
}

// lateSends is the check of last resort: it rests on the raw records alone, whatever the client says of itself. Each arm is judged by
// itself, because lateness in the blocks of one falsifies the comparison, however little it is of both.
func (c *checks) lateSends(s sends) {
	for _, arm := range swap.Arms {
		tally := s.late.Get(arm)
		if !tally.Kept() && s.late.Get(arm.Other()).Kept() {
			continue // this server lets no connection be kept; the other arm tells of the client
		}
		if late := tally.P99MS().Or(0); late > s.limitMS {
			c.disbelieve(s.tooLate(arm, late))
		}
	}
}

// tooLate says what of an arm was late, and what to do: one stall of a machine is no reason to buy another.
func (s sends) tooLate(arm swap.Arm, p99 float64) string {
	n := s.count(arm)
	text := fmt.Sprintf("the load client sent to the %s up to %.1f ms late (P99), more than the %.1f ms tolerated: %d of %d requests were "+
		"later than that", arm, p99, s.limitMS, n.late, n.sent)
	next := "give it more CPU, or spread the load over more load workers (load.shards)"
	if n.blocks == 1 {
		text += fmt.Sprintf(", all in block %d of step %d", n.first.Block, n.first.Step)
		next = "if its machine was held up just then, start the run again; else " + next
	}
	if both := latenessOf(s.pairs, swap.Baseline, swap.Candidate).P99MS().Or(0); both <= s.limitMS {
		text += fmt.Sprintf("; of both arms together the P99 is %.1f ms, but each is judged by itself", both)
	}
	return text + "; latencies are partly its own: " + next
}

// lateCount counts an arm's requests whose lateness is judged, those of them that were late, and the blocks of these.
type lateCount struct {
	sent, late, blocks int
	// first is the first block with a late request.
	first *Block
}

func (s sends) count(arm swap.Arm) lateCount {
	var n lateCount
	judged := s.late.Get(arm)
	for k := range s.pairs.list {
		block, before := s.pairs.list[k].blocks.Get(arm), n.late
		for i, late := range block.Requests.clientLate {
			if math.IsNaN(late) || (judged.Kept() && !block.Requests.connReused[i]) {
				continue
			}
			n.sent++
			if late > s.limitMS {
				n.late++
			}
		}
		if n.late > before {
			n.blocks++
		}
		if n.blocks == 1 && n.first == nil {
			n.first = block
		}
	}
	return n
}
