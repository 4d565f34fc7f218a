package swapbench

// Check is an acceptance line, held against our judge in one scenario.
type Check struct {
	Line     Line    `json:"line"`
	Scenario string  `json:"scenario"`
	Share    float64 `json:"share"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	// Held is false where the share is beyond the limit by more than the simulation's own error.
	Held bool `json:"held"`
}

// Broken are the checks that did not hold.
func (t *Table) Broken() []Check {
	var broken []Check
	for _, c := range t.Checks {
		if !c.Held {
			broken = append(broken, c)
		}
	}
	return broken
}

func check(rows []Row) []Check {
	var checks []Check
	for i := range rows {
		if r := &rows[i]; r.Contestant == Ours && r.Line != NoLine {
			checks = append(checks, r.check())
		}
	}
	return checks
}

// check holds a row against its line: an upper limit is broken where the whole interval is above it, a lower one where it is below. A
// data-quality fault has no error to allow for.
func (r *Row) check() Check {
	count, limit, most := r.Fail, .01, true
	switch r.Line {
	case FalsePass:
		count, limit = r.Pass, .05
	case TailPower:
		limit, most = .9, false
	case BlockPower:
		limit, most = .95, false
	case DataFault:
		count = r.ReasonHeld
	}
	c := Check{Line: r.Line, Scenario: r.Scenario, Share: float64(count) / float64(r.Repetitions)}
	c.Low, c.High = r.interval(count)
	switch {
	case r.Line == DataFault:
		c.Held = count == r.Repetitions
	case most:
		c.Held = c.Low <= limit
	default:
		c.Held = c.High >= limit
	}
	return c
}
