package classic

import (
	"fmt"
	"math"
)

// Reach is whether a rule can ever fire, and how often it does where nothing differs.
type Reach struct {
	// Never is why the rule can never fire, with what to do; empty where it can.
	Never string
	// ByChance is the probability that it fires where nothing differs; NaN where that is not known.
	ByChance float64
	// Noise says so for a person; empty where chance is no worry or not known.
	Noise string
}

func never(format string, args ...any) Reach {
	return Reach{Never: fmt.Sprintf(format, args...), ByChance: math.NaN()}
}
