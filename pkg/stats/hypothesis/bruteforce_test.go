package hypothesis

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"
)

// drawFew draws a small sample; of whole numbers where ties are wanted.
func drawFew(t *rapid.T, name string, highest int) []float64 {
	if rapid.Bool().Draw(t, name+" tied") {
		return widen(rapid.SliceOfN(rapid.IntRange(0, 4), 1, highest).Draw(t, name))
	}
	fine := widen(rapid.SliceOfN(rapid.IntRange(-500_000, 500_000), 1, highest).Draw(t, name))
	return apply(fine, func(v float64) float64 { return v / 1e5 }) // so far apart that a monotone map does not join two
}

func widen(whole []int) []float64 {
	out := make([]float64, len(whole))
	for i, v := range whole {
		out[i] = float64(v)
	}
	return out
}

// shareOfDeals is the share of all ways to deal the values to samples of the same sizes for which extreme holds.
func shareOfDeals(first, second []float64, extreme func(first, second []float64) bool) float64 {
	all := slices.Concat(first, second)
	deals := combin.Combinations(len(all), len(first))
	extremes := 0
	for _, chosen := range deals {
		var a, b []float64
		for i, v := range all {
			if slices.Contains(chosen, i) {
				a = append(a, v)
			} else {
				b = append(b, v)
			}
		}
		if extreme(a, b) {
			extremes++
		}
	}
	return float64(extremes) / float64(len(deals))
}

func TestExactKolmogorovSmirnovCountsAllDeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 5), drawFew(t, "second", 5)
		test, _ := KolmogorovSmirnov(first, second)
		got, _ := test.ExactP()
		want := shareOfDeals(first, second, func(a, b []float64) bool {
			slices.Sort(a)
			slices.Sort(b)
			return stat.KolmogorovSmirnov(a, nil, b, nil) >= test.D-1e-9
		})
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("p = %v, and %v of all deals", got, want)
		}
	})
}

func TestExactMannWhitneyCountsAllDeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 5), drawFew(t, "second", 5)
		centre := float64(len(first)*len(second)) / 2
		far := math.Abs(pairsWonOneByOne(first, second) - centre)
		test, _ := MannWhitney(first, second)
		got, _ := test.ExactP()
		want := shareOfDeals(first, second, func(a, b []float64) bool { return math.Abs(pairsWonOneByOne(a, b)-centre) >= far })
		if math.Abs(got-want) > 1e-12 {
			t.Fatalf("p = %v, and %v of all deals", got, want)
		}
	})
}

func pairsWonOneByOne(first, second []float64) float64 {
	won := 0.0
	for _, a := range first {
		for _, b := range second {
			switch {
			case a > b:
				won++
			case a == b:
				won += .5
			}
		}
	}
	return won
}

func TestStatisticsMatchTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 40), drawFew(t, "second", 40)
		mw, _ := MannWhitney(first, second)
		if want := pairsWonOneByOne(first, second); mw.U != want {
			t.Fatalf("U = %v, want %v", mw.U, want)
		}
		e, _ := Energy(first, second)
		across := meanDistance(first, second)
		within := meanDistance(first, first) + meanDistance(second, second)
		if math.Abs(e.Distance-(2*across-within)) > 1e-9 || across > 0 && math.Abs(e.Coefficient-(2*across-within)/(2*across)) > 1e-9 {
			t.Fatalf("%+v, want %v", e, 2*across-within)
		}
		ks, _ := KolmogorovSmirnov(first, second)
		slices.Sort(first)
		slices.Sort(second)
		if want := stat.KolmogorovSmirnov(first, nil, second, nil); math.Abs(ks.D-want) > 1e-12 {
			t.Fatalf("D = %v, want %v", ks.D, want)
		}
	})
}

func meanDistance(a, b []float64) float64 {
	sum := 0.0
	for _, x := range a {
		for _, y := range b {
			sum += math.Abs(x - y)
		}
	}
	return sum / float64(len(a)*len(b))
}

func TestHodgesLehmannMatchesAllDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, second := drawFew(t, "first", 30), drawFew(t, "second", 30)
		var all []float64
		for _, x := range first {
			for _, y := range second {
				all = append(all, y-x)
			}
		}
		slices.Sort(all)
		shift, _ := HodgesLehmann(first, second)
		for rank, want := range all {
			if got := shift.differences.ranked(rank + 1); got != want {
				t.Fatalf("difference %d is %v, want %v", rank+1, got, want)
			}
		}
		if want := (all[(len(all)-1)/2] + all[len(all)/2]) / 2; math.Abs(shift.Estimate-want) > 1e-12 {
			t.Fatalf("shift %v, want %v", shift.Estimate, want)
		}
	})
}

func TestExactMannKendallCountsAllOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := drawFew(t, "series", 6)
		if len(series) < 2 {
			return
		}
		test, _ := MannKendall(series)
		if want := risesLessFalls(series); test.S != want {
			t.Fatalf("S = %d, want %d", test.S, want)
		}
		extremes, orders := 0, combin.Permutations(len(series), len(series))
		for _, order := range orders {
			shuffled := make([]float64, len(series))
			for i, k := range order {
				shuffled[i] = series[k]
			}
			if distance(risesLessFalls(shuffled), 0) >= distance(test.S, 0) {
				extremes++
			}
		}
		got, _ := test.ExactP()
		if want := float64(extremes) / float64(len(orders)); math.Abs(got-want) > 1e-12 {
			t.Fatalf("p = %v, and %v of all orders", got, want)
		}
	})
}

func risesLessFalls(series []float64) int {
	s := 0
	for i, earlier := range series {
		for _, later := range series[i+1:] {
			switch {
			case later > earlier:
				s++
			case later < earlier:
				s--
			}
		}
	}
	return s
}

func TestRatesMatchTheBinomialSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Rate {
			return Rate{rapid.IntRange(0, 40).Draw(t, name+" events"), rapid.Float64Range(.1, 10).Draw(t, name+" exposure")}
		}
		first, second, ratio := draw("first"), draw("second"), rapid.Float64Range(.2, 5).Draw(t, "ratio")
		c, _ := CompareRates(first, second, ratio)
		share := ratio * second.Exposure / (first.Exposure + ratio*second.Exposure)
		total, greater, less := first.Events+second.Events, 0.0, 0.0
		for k := range total + 1 {
			p := math.Exp(combin.LogGeneralizedBinomial(float64(total), float64(k)) +
				float64(k)*math.Log(share) + float64(total-k)*math.Log(1-share))
			if k >= second.Events {
				greater += p
			}
			if k <= second.Events {
				less += p
			}
		}
		if math.Abs(c.Greater-greater) > 1e-9 || math.Abs(c.Less-less) > 1e-9 {
			t.Fatalf("%v and %v, want %v and %v", c.Greater, c.Less, greater, less)
		}
		low, high := c.Interval(.9)
		atLow, _ := CompareRates(first, second, low)
		atHigh, _ := CompareRates(first, second, high)
		if second.Events > 0 && math.Abs(atLow.Greater-.05) > 1e-6 || first.Events > 0 && math.Abs(atHigh.Less-.05) > 1e-6 {
			t.Fatalf("%v to %v misses %v and %v", low, high, atLow.Greater, atHigh.Less)
		}
	})
}
