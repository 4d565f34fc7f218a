package classic

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The constants of AlphaDecay.
const (
	alphaStep, alphaTarget   = 0.02, 0.01
	alphaFloor, alphaCeiling = 0.1, 0.9
	// alphaStart is where the coefficient begins unless it is given.
	alphaStart = 0.5
	// alphaDrop and errorRise are what the rollback asks for, over as many windows as alphaWindows.
	alphaDrop, errorRise = 0.4, 0.15
	alphaWindows         = 3
)

// DeltaUnit is the unit of a difference in conversion.
type DeltaUnit string

// The units. They differ by factors of a hundred, and the rule depends on them.
const (
	Fraction        DeltaUnit = "fraction"
	PercentagePoint DeltaUnit = "percentage_point"
	RelativePercent DeltaUnit = "relative_percent"
	BasisPoint      DeltaUnit = "basis_point"
)

// DropSemantics says what "three windows, a fall of more than 40 %" means.
type DropSemantics string

// A fall by 40 % from the window before the three to the last of them, or in each of the three.
const (
	DropCumulative DropSemantics = "cumulative3"
	DropEach       DropSemantics = "each"
)

// AlphaDecay adapts a coefficient α to the difference in conversion δ of each window, α ← clip(α·(1 + 0.02·(δ − 0.01)), 0.1, 0.9), and
// asks for a rollback when α fell by more than 40 % over three windows and the error rate rose by 15 %.
type AlphaDecay struct {
	// DeltaUnit, DropSemantics and ErrorRiseUnit must be given: the rule does not say them.
	DeltaUnit     DeltaUnit     `json:"delta_unit"`
	DropSemantics DropSemantics `json:"drop_semantics"`
	// ErrorRiseUnit is relative_percent or percentage_point.
	ErrorRiseUnit DeltaUnit `json:"error_rise_unit"`
	// Start is the coefficient before the first window; 0 stands for 0.5.
	Start float64 `json:"start,omitempty"`
	// AllowUnreachable accepts options under which the rollback can never be asked for.
	AllowUnreachable bool `json:"allow_unreachable,omitempty"`
}

// AlphaWindow is one window: the difference in conversion in DeltaUnit, and the error rate as a fraction.
type AlphaWindow struct{ Delta, ErrorRate float64 }

// AlphaReading is what AlphaDecay makes of some windows.
type AlphaReading struct {
	// Reading has the fall of α over the last three windows against 0.4; for "each" it is the smallest of the three. It fires
	// where the error rate rose too.
	Reading
	// Alpha is the coefficient after the last window.
	Alpha float64
	// Rise is that of the error rate since the window before the three, in ErrorRiseUnit as a fraction: 0.15 is 15 % or 15 points.
	Rise float64
}

// Name is classic_alpha.
func (AlphaDecay) Name() swap.RuleName { return "classic_alpha" }

// Weakness is one sentence.
func (AlphaDecay) Weakness() string {
	return "in fractions α cannot fall by more than 5.9 % over three windows, so it never rolls back; in percentage points with 60 " +
		"requests a window, and in basis points always, it does so on noise; below 0.167 it is disarmed"
}

// Next is α after a window with the given difference in conversion.
func (AlphaDecay) Next(alpha, delta float64) float64 {
	return min(max(alpha*(1+alphaStep*(delta-alphaTarget)), alphaFloor), alphaCeiling)
}

// Delta is the difference of two conversion rates, each a fraction, in a unit. Relative to 0 it is NaN or infinite.
func (u DeltaUnit) Delta(baseline, candidate float64) float64 {
	difference := candidate - baseline
	switch u {
	case Fraction:
		return difference
	case PercentagePoint:
		return 100 * difference
	case RelativePercent:
		return 100 * difference / baseline
	case BasisPoint:
		return 1e4 * difference
	}
	return math.NaN()
}

// Read follows α through all windows and judges the last three. Errors are compared with the window before them.
func (a AlphaDecay) Read(windows []AlphaWindow) AlphaReading {
	r := AlphaReading{Alpha: a.start(), Rise: math.NaN()}
	alphas := []float64{r.Alpha}
	for i, w := range windows {
		if notFinite([]float64{w.Delta, w.ErrorRate}) >= 0 {
			r.Reading = refuse("window %d has no conversion or error rate", i+1)
			return r
		}
		r.Alpha = a.Next(r.Alpha, w.Delta)
		alphas = append(alphas, r.Alpha)
	}
	if len(windows) <= alphaWindows {
		r.Reading = refuse("it compares %d windows with the one before, and there are %d in all", alphaWindows, len(windows))
		return r
	}
	last := len(windows) - 1
	r.Rise = a.rise(windows[last-alphaWindows].ErrorRate, windows[last].ErrorRate)
	r.Reading = above(a.fall(alphas), alphaDrop)
	r.Fires = r.Fires && r.Rise > errorRise
	return r
}

func (a AlphaDecay) start() float64 {
	if a.Start == 0 {
		return alphaStart
	}
	return a.Start
}

// fall is that of the last four values.
func (a AlphaDecay) fall(alphas []float64) float64 {
	last := alphas[len(alphas)-1-alphaWindows:]
	if a.DropSemantics != DropEach {
		return 1 - last[alphaWindows]/last[0]
	}
	least := math.Inf(1)
	for i := range alphaWindows {
		least = min(least, 1-last[i+1]/last[i])
	}
	return least
}

// rise of a rate from 0 is infinite relative to it.
func (a AlphaDecay) rise(before, now float64) float64 {
	switch {
	case a.ErrorRiseUnit != RelativePercent || now == before:
		return now - before
	case before == 0:
		return math.Inf(1)
	}
	return now/before - 1
}

// Fault is something wrong with an option.
type Fault struct{ Field, Message string }

// Check says which options are missing or wrong, and whether the rollback can ever be asked for.
func (a AlphaDecay) Check(plan AlphaPlan) []Fault {
	var faults []Fault
	add := func(field, format string, args ...any) {
		faults = append(faults, Fault{field, fmt.Sprintf(format, args...)})
	}
	if math.IsNaN(a.DeltaUnit.Delta(.5, .5)) {
		add("delta_unit", "is required: fraction, percentage_point, relative_percent or basis_point; the rule depends on it and does not say it")
	}
	if a.DropSemantics != DropCumulative && a.DropSemantics != DropEach {
		add("drop_semantics", "is required: cumulative3 (40 %% over three windows) or each (40 %% in each of three)")
	}
	if a.ErrorRiseUnit != RelativePercent && a.ErrorRiseUnit != PercentagePoint {
		add("error_rise_unit", "is required: relative_percent or percentage_point")
	}
	if s := a.start(); !(s >= alphaFloor && s <= alphaCeiling) {
		add("start", "must be from %g to %g, got %g", alphaFloor, alphaCeiling, s)
	}
	if len(faults) == 0 && !a.AllowUnreachable {
		if reach := a.Reach(plan); reach.Never != "" {
			add("delta_unit", "%s, or write allow_unreachable: true", reach.Never)
		}
	}
	return faults
}
