package classic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Plan is what a load stage will yield on each arm, as far as it is known beforehand.
type Plan struct {
	// BlockSeconds is the measured length of a block.
	BlockSeconds float64
	Steps        []PlannedStep
	// Levels is how many steps the longest curve has; see swap.Capacity.
	Levels int
}

// PlannedStep is one load step. Requests is the number of measured requests in a block; absent where it depends on the server.
type PlannedStep struct {
	// Blocks is the largest number there can be, when the step is prolonged as far as it may be.
	Blocks   int
	Requests swap.Value
}

// requests are those of all steps; absent where those of one are.
func (p Plan) requests() swap.Value {
	sum := 0.
	for _, s := range p.Steps {
		sum += float64(s.Blocks) * s.Requests.Or(math.NaN())
	}
	return swap.Of(sum)
}

// Reach is that of a rule under a plan. Rules must be complete, with every default filled in.
func (p Plan) Reach(r swap.OpinionRule) Reach {
	switch r.Rule {
	case swap.RuleFivePercent:
		return FivePercent{}.Reach(r.Stat, p.requests())
	case swap.RuleThreeEight:
		return ThreeEight{}.Reach(r.Stat, p.requests())
	case swap.RuleKSAdaptive:
		return KSAdaptive{}.Reach()
	case swap.RuleCVR99:
		return p.likeliest(func(s PlannedStep) Reach { return CVWindow{Limit: r.CV}.Reach(s.Blocks, p.BlockSeconds, s.Requests) })
	case swap.RuleHybrid:
		return p.likeliest(func(s PlannedStep) Reach { return Hybrid{}.Reach(s.Blocks) })
	case swap.RuleSecondDiff:
		return SecondDiff{}.Reach(p.Levels)
	case swap.RuleErrors3x:
		return p.likeliest(func(s PlannedStep) Reach { return ErrorsThreefold{}.Reach(s.Blocks, s.Requests) })
	}
	return Reach{ByChance: math.NaN()}
}

// likeliest is the reach in the step in which the rule says most: one in which it can fire, and there the likeliest to do so by
// chance. Where it can fire in none, it is that in the longest.
func (p Plan) likeliest(of func(PlannedStep) Reach) Reach {
	best, longest := Reach{ByChance: math.NaN()}, -1
	for _, s := range p.Steps {
		switch r := of(s); {
		case r.Never != "" && (longest < 0 || best.Never != "" && s.Blocks > longest):
			best, longest = r, s.Blocks
		case r.Never == "" && (longest < 0 || best.Never != "" || math.IsNaN(best.ByChance) || r.ByChance > best.ByChance):
			best, longest = r, s.Blocks
		}
	}
	return best
}
