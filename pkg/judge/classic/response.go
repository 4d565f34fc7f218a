package classic

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats/power"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The limits of FivePercent and ThreeEight on a relative change.
const (
	gateLimit  = 0.05
	mailLimit  = 0.03
	blockLimit = 0.08
)

// FivePercent blocks a change for the worse of more than 5 %.
type FivePercent struct{}

// Name is classic_5pct.
func (FivePercent) Name() swap.RuleName { return swap.RuleFivePercent }

// Weakness is one sentence.
func (FivePercent) Weakness() string {
	return "it looks at an estimate without its error: of equal arms with 4,000 independent requests each, 12 % differ by more in P99"
}

// Read takes a relative change, positive for worse; −0.02 is 2 % better.
func (FivePercent) Read(change float64) Reading { return readChange(change, change, gateLimit) }

// ByChance is the share of runs with equal arms in which the rule fires, for an estimate of the logarithm of candidate over
// baseline with the given standard error.
func (FivePercent) ByChance(se float64) float64 { return 1 - normalCDF(math.Log1p(gateLimit)/se) }

// Reach is for so many requests on each arm and the given statistic.
func (f FivePercent) Reach(stat swap.Stat, requests swap.Value) Reach {
	return chanceOf(f.ByChance, "it blocks", stat, requests)
}

// Response is what a change calls for.
type Response string

// The responses of ThreeEight.
const (
	Silent Response = "silent"
	Mail   Response = "mail"
	Block  Response = "block"
)

// ThreeEight is silent for a change below 3 %, mails from 3 to 8 %, and blocks above, whichever way the change goes.
type ThreeEight struct{}

// Name is classic_3_8.
func (ThreeEight) Name() swap.RuleName { return swap.RuleThreeEight }

// Weakness is one sentence.
func (ThreeEight) Weakness() string {
	return "it looks at an estimate without its error: with a standard error of 2 % a healthy run is beyond 3 % in 13 % of all cases, with " +
		"4.2 % in 47 % and beyond 8 % in 6 %; improvements count too"
}

// Respond takes a relative change.
func (ThreeEight) Respond(change float64) Response {
	switch size := math.Abs(change); {
	case size > blockLimit:
		return Block
	case size >= mailLimit:
		return Mail
	}
	return Silent
}

// Read fires for every response but silence. The threshold is the limit that was reached, or the first one.
func (t ThreeEight) Read(change float64) Reading {
	r := readChange(change, math.Abs(change), mailLimit)
	if r.Refusal == "" {
		response := t.Respond(change)
		r.Fires = response != Silent
		if response == Block {
			r.Threshold = blockLimit
		}
	}
	return r
}

// ByChance is the share of runs with equal arms that are not silent, and that block; for se see FivePercent.
func (ThreeEight) ByChance(se float64) (heard, blocks float64) {
	beyond := func(limit float64) float64 {
		return 1 - normalCDF(math.Log1p(limit)/se) + normalCDF(math.Log1p(-limit)/se)
	}
	return beyond(mailLimit), beyond(blockLimit)
}

// Reach is for so many requests on each arm and the given statistic.
func (t ThreeEight) Reach(stat swap.Stat, requests swap.Value) Reach {
	return chanceOf(func(se float64) float64 { heard, _ := t.ByChance(se); return heard }, "it mails or blocks", stat, requests)
}

// Precedence is the response where the gate of 5 % and the three responses are both in force: the gate goes first. By names the
// rule that decided.
func Precedence(change float64) (response Response, by swap.RuleName) {
	if (FivePercent{}).Read(change).Fires {
		return Block, swap.RuleFivePercent
	}
	return ThreeEight{}.Respond(change), swap.RuleThreeEight
}

func readChange(change, value, threshold float64) Reading {
	if math.IsNaN(change) || math.IsInf(change, 0) {
		return refuse("there is no relative change: an arm has no answered request, or the baseline is 0")
	}
	return above(value, threshold)
}

// StandardError is that of the logarithm of candidate over baseline, for a statistic of so many independent log-normal requests on
// each arm whose logarithm has the standard deviation sigma.
func StandardError(stat swap.Stat, requests, sigma float64) float64 {
	if p, isQuantile := stat.Quantile(); isQuantile {
		return math.Sqrt(2/requests) * power.QuantileSpread(p, sigma)
	}
	return math.Sqrt(2 / requests * math.Expm1(sigma*sigma))
}

// worthAWord is the share of equal arms from which on a rule is said to fire on noise.
const worthAWord = 0.05

func chanceOf(byChance func(se float64) float64, fires string, stat swap.Stat, requests swap.Value) Reach {
	n, known := requests.Get()
	if !known || !(n > 0) {
		return Reach{ByChance: math.NaN()}
	}
	se := StandardError(stat, n, typicalSigma)
	r := Reach{ByChance: byChance(se)}
	if r.ByChance > worthAWord {
		r.Noise = fmt.Sprintf("with about %.0f requests per arm the change of %s has a standard error of %s or more, and %s in %s of runs with "+
			"equal arms", n, stat, percent(se), fires, percent(r.ByChance))
	}
	return r
}
