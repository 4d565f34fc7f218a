package swapbench

// Check is an acceptance line, held against our judge in one scenario.
type Check struct {
	Line        Line    `json:"line"`
	Scenario    string  `json:"scenario"`
	Repetitions int     `json:"repetitions"`
	Share       float64 `json:"share"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
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

// limit is the share that a line allows, at most or at least.
func (l Line) limit() (share float64, most bool) {
	switch l {
	case AtMargin:
		return .05, true
	case TailPower:
		return .9, false
	case BlockPower:
		return .95, false
	case DataFault:
		return 1, false
	case RollbackTime: // the median is in time where half of them are
		return .5, false
	}
	return .01, true
}

// counted is how many repetitions the line counts.
func (r *Row) counted() int {
	switch r.Line {
	case AtMargin:
		return r.Pass
	case DataFault:
		return r.ReasonHeld
	case RollbackTime:
		return r.InTime
	}
	return r.Fail
}

// check holds a row against its line: an upper limit is broken where the whole interval is above it, a lower one where it is below. A
// data-quality fault has no error to allow for.
func (r *Row) check() Check {
	count := r.counted()
	limit, most := r.Line.limit()
	c := Check{Line: r.Line, Scenario: r.Scenario, Repetitions: r.Repetitions, Share: float64(count) / float64(r.Repetitions)}
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

// worse reports whether a check is closer to breaking the line than another one of it.
func (c *Check) worse(other Check) bool {
	if _, most := c.Line.limit(); most {
		return c.Share > other.Share
	}
	return c.Share < other.Share
}
