package judge

import "github.com/swapgate/swapgate/pkg/swap"

// outcomeCode is an outcome in one byte: its place among swap.Outcomes, or the number after the last for any other.
type outcomeCode uint8

// unknownOutcome stands for what is no outcome of this version. It is a failure.
const unknownOutcome swap.Outcome = "unknown"

func codeOf(o swap.Outcome) outcomeCode {
	var code outcomeCode
	for _, known := range swap.Outcomes {
		if known == o {
			break
		}
		code++
	}
	return code
}

func (c outcomeCode) outcome() swap.Outcome {
	if int(c) < len(swap.Outcomes) {
		return swap.Outcomes[c]
	}
	return unknownOutcome
}

func (c outcomeCode) good() bool { return c.outcome().Good() }

func (c outcomeCode) abandoned() bool { return c.outcome() == swap.Abandoned }

// outcomeTally counts requests by the code of their outcome.
type outcomeTally [1 << 8]int

// failures returns how many of the requests failed, of those that finished: an abandoned one did not.
func (t *outcomeTally) failures() (failed, finished int) {
	for code, n := range t {
		c := outcomeCode(code)
		if n == 0 || c.abandoned() {
			continue
		}
		finished += n
		if !c.good() {
			failed += n
		}
	}
	return failed, finished
}

// addTo adds the tally to counts by name.
func (t *outcomeTally) addTo(counts swap.OutcomeCounts) {
	for code, n := range t {
		if n > 0 {
			counts[outcomeCode(code).outcome()] += n
		}
	}
}
