package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func drawArms(t *rapid.T) (base, cand [][]float64) {
	s := simulation{
		pairs: 12, requests: rapid.IntRange(20, 60).Draw(t, "requests"),
		phi: rapid.Float64Range(0, .9).Draw(t, "phi"), shift: rapid.Float64Range(-.3, .3).Draw(t, "shift"),
	}
	return s.arms(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
}

func drawStat(t *rapid.T) swap.Stat {
	return rapid.SampledFrom([]swap.Stat{swap.StatP50, swap.StatP90, swap.StatP95}).Draw(t, "stat")
}

func scaled(arms [][]float64, factor float64) [][]float64 {
	out := make([][]float64, len(arms))
	for k, values := range arms {
		for _, v := range values {
			out[k] = append(out[k], factor*v)
		}
	}
	return out
}

func decision(base, cand [][]float64, g swap.Gate) swap.GateResult {
	m := compareQuantiles(len(base), base, cand, g, 99, 1)
	return m.settle(m.failP(), 1, settings())
}

func TestSwappingTheArmsMirrorsTheDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, cand := drawArms(t)
		g := gate(swap.MetricTTFT, drawStat(t), .1)
		there, back := compareQuantiles(len(base), base, cand, g, 99, 1), compareQuantiles(len(cand), cand, base, g, 99, 1)
		low, high := there.interval.bounds(.95)
		mirroredLow, mirroredHigh := back.interval.bounds(.95)
		for _, pair := range [][2]float64{{there.theta, -back.theta}, {low, -mirroredHigh}, {high, -mirroredLow}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Fatalf("not mirrored: %v and %v", pair[0], pair[1])
			}
		}
	})
}

func TestASlowerCandidateIsNeverJudgedBetter(t *testing.T) {
	rank := map[swap.Decision]int{swap.Pass: 0, swap.Inconclusive: 1, swap.Fail: 2}
	rapid.Check(t, func(t *rapid.T) {
		base, cand := drawArms(t)
		g := gate(swap.MetricTTFT, drawStat(t), .1)
		slower := scaled(cand, rapid.Float64Range(1, 2).Draw(t, "factor"))
		before, after := decision(base, cand, g), decision(base, slower, g)
		if before.Reason.Code != swap.ReasonUnstable && rank[after.Decision] < rank[before.Decision] {
			t.Fatalf("slower went from %s to %s", before.Decision, after.Decision)
		}
	})
}

func TestBoundsAndDecisionAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, cand := drawArms(t)
		g := gate(swap.MetricTTFT, drawStat(t), rapid.Float64Range(.01, .5).Draw(t, "margin"))
		g.Better = rapid.SampledFrom([]swap.Direction{swap.LowerIsBetter, swap.HigherIsBetter, swap.Either}).Draw(t, "better")
		r := decision(base, cand, g)
		low, high := r.Low.Or(math.NaN()), r.High.Or(math.NaN())
		risen, fallen := high >= g.Margin, low <= -g.Margin
		inside := map[swap.Direction]bool{
			swap.LowerIsBetter: !risen, swap.HigherIsBetter: !fallen, swap.Either: !risen && !fallen,
		}[g.Better]
		if inside && r.Decision == swap.Fail {
			t.Fatalf("failed although [%v %v] lies within %v", low, high, g.Margin)
		}
		if !inside && r.Decision == swap.Pass {
			t.Fatalf("passed although [%v %v] is not within %v", low, high, g.Margin)
		}
		if r.Reason.Message == "" || r.Regressed && r.Decision != swap.Pass {
			t.Fatalf("inconsistent result: %+v", r)
		}
	})
}

// The margins mirror on the scale of the logarithm: what a rise by the factor 1+δ is for the one arm, a fall by 1/(1+δ) is for the
// other.
func TestSwappingTheArmsMirrorsTheVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, cand := drawArms(t)
		margin := rapid.Float64Range(.01, .5).Draw(t, "margin")
		rise := gate(swap.MetricTTFT, drawStat(t), margin)
		fall := rise
		fall.Better, fall.Margin = swap.HigherIsBetter, margin/(1+margin)
		there, back := decision(base, cand, rise), decision(cand, base, fall)
		if there.Decision != back.Decision || there.Regressed != back.Regressed {
			t.Fatalf("%s became %s when the arms were swapped", there.Decision, back.Decision)
		}
	})
}

func TestUnitsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, cand := drawArms(t)
		relative := gate(swap.MetricTTFT, drawStat(t), .1)
		absolute := relative
		absolute.Unit, absolute.Margin = swap.Absolute, .1
		unit := rapid.SampledFrom([]float64{1e-3, 1.0 / 3, 7, 1e3, 1e6}).Draw(t, "unit")
		inUnit := absolute
		inUnit.Margin *= unit
		for _, g := range [][2]swap.Gate{{relative, relative}, {absolute, inUnit}} {
			before, after := decision(base, cand, g[0]), decision(scaled(base, unit), scaled(cand, unit), g[1])
			factor := 1.
			if g[0].Unit == swap.Absolute {
				factor = unit
			}
			same := before.Decision == after.Decision && before.NeedBlocks == after.NeedBlocks
			for _, v := range [][2]swap.Value{{before.Change, after.Change}, {before.Low, after.Low}, {before.High, after.High}} {
				same = same && math.Abs(v[0].Or(math.NaN())*factor-v[1].Or(math.NaN())) < 1e-9*max(1, factor)
			}
			if !same {
				t.Fatalf("%+v became %+v in another unit", before, after)
			}
		}
	})
}
