package judge

import (
	"fmt"
	"strconv"

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
