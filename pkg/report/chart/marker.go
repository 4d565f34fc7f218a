package chart

import "github.com/swapgate/swapgate/pkg/swap"

// marker outlines the sign of an arm, so that arms differ by shape as well as by colour: a circle for the baseline and a
// diamond for the candidate.
func marker(arm swap.Arm, x, y, size float64) string {
	if arm == swap.Candidate {
		r := size * 1.25
		return point("M", x, y-r) + point("L", x+r, y) + point("L", x, y+r) + point("L", x-r, y) + "z"
	}
	arc := "a" + coord(size) + " " + coord(size) + " 0 1 0 "
	return point("M", x-size, y) + arc + coord(2*size) + " 0" + arc + coord(-2*size) + " 0z"
}

// armClass names the look of an arm's mark; series that belong to no arm have a look of their own.
func armClass(arm swap.Arm, part string) string {
	switch arm {
	case swap.Baseline, swap.Candidate:
		return "arm-" + string(arm) + " " + part
	}
	return "arm-shared " + part
}
