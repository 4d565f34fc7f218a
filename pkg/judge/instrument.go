package judge

import (
	"fmt"
	"math"
	"strconv"

	"github.com/swapgate/swapgate/pkg/load/instrument/lateness"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Instrument is the load client's account of itself in one step.
type Instrument struct {
	Step  int
	State swap.InstrumentState
}

// InstrumentsFrom takes them from the manifests, in their order.
func InstrumentsFrom(manifests []swap.StepManifest) []Instrument {
	instruments := make([]Instrument, len(manifests))
	for i, manifest := range manifests {
		instruments[i] = Instrument{Step: manifest.Step, State: manifest.Instrument}
	}
	return instruments
}

// loadClient is the subject of reasons about the instrument.
const loadClient = "load client"

// instrument requires a load client that can be believed in every step. What it measured is otherwise partly itself, so that
// neither a pass nor a fail stands.
func (c *checks) instrument(e Evidence, s sends) {
	c.faults(e.Instruments)
	c.lateSends(s)
}

// faults gives a reason for each signal at fault; the first step speaks for the others.
func (c *checks) faults(instruments []Instrument) {
	var order []string
	first, steps := map[string]swap.InstrumentFault{}, map[string][]int{}
	for _, i := range instruments {
		for _, fault := range i.State.Faults {
			if steps[fault.Signal] == nil {
				order, first[fault.Signal] = append(order, fault.Signal), fault
			}
			steps[fault.Signal] = append(steps[fault.Signal], i.Step)
		}
	}
	for _, signal := range order {
		c.disbelieve(inSteps(steps[signal]) + ", " + first[signal].Message + ": " + first[signal].Next)
	}
}

// inSteps is such as "in step 2" or "in step 2 (and in 3 more)".
func inSteps(steps []int) string {
	text := "in step " + strconv.Itoa(steps[0])
	if more := len(steps) - 1; more > 0 {
		text += fmt.Sprintf(" (and in %d more)", more)
	}
	return text
}

func (c *checks) disbelieve(message string) {
	c.forbid(swap.ReasonInstrument, loadClient, message)
	if !c.unbelievable {
		c.unbelievable = true
		c.spoil(spoiled{swap.ReasonInstrument, "the load client cannot be believed", anyMetric})
	}
}

// lateSends is the check of last resort: it rests on the raw records alone, whatever the client says of itself.
func (c *checks) lateSends(s sends) {
	for _, arm := range swap.Arms {
		tally := s.late.Get(arm)
		if !tally.Kept() && s.late.Get(arm.Other()).Kept() {
			continue // this server lets no connection be kept; the other arm tells of the client
		}
		if late := tally.P99MS().Or(0); late > s.limitMS {
			c.disbelieve(fmt.Sprintf("the load client sent to the %s up to %.1f ms late (P99), more than the %.1f ms tolerated, so latencies are "+
				"partly its own: give it more CPU, or spread the load over more load workers (load.shards)", arm, late, s.limitMS))
		}
	}
}

// sends is how late the client sent to each arm by the raw records, and how late it may.
type sends struct {
	late    swap.PerArm[*lateness.Tally]
	limitMS float64
}

func sendsOf(e Evidence, p pairs) sends {
	median := stats.Quantile(p.pool(swap.Baseline, swap.MetricTTFT).Sorted(), .5)
	return sends{
		late:    swap.PerArm[*lateness.Tally]{Baseline: latenessOf(p, swap.Baseline), Candidate: latenessOf(p, swap.Candidate)},
		limitMS: lateness.LimitMS(e.SendLateness, swap.Of(median)),
	}
}

func latenessOf(p pairs, arm swap.Arm) *lateness.Tally {
	var tally lateness.Tally
	for k := range p.list {
		requests := &p.list[k].blocks.Get(arm).Requests
		for i, late := range requests.clientLate {
			if !math.IsNaN(late) {
				tally.AddOwn(late, requests.connReused[i])
			}
		}
	}
	return &tally
}
