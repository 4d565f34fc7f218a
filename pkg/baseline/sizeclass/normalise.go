package sizeclass

import (
	"math"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Model is a model with a measured P99, to be shown beside others of its kind.
type Model struct {
	Name  string
	P99MS float64
	Size  Size
}

// Group is the kind of a model: those of one group have about the same work for a token.
type Group struct {
	// Class is the size class of all parameters.
	Class string `json:"class"`
	// GigaFLOPs is twice the active parameters, the arithmetic of a token, rounded down to a power of two.
	GigaFLOPs float64 `json:"gflops_per_token"`
	// Bits is the width of the weights; 0 where the name does not tell.
	Bits int `json:"weight_bits"`
}

// GroupOf is the group of a model.
func GroupOf(m Model) Group {
	return Group{
		Class: ClassOf(m.Size.Total).Name, GigaFLOPs: math.Exp2(math.Floor(math.Log2(2 * m.Size.Active))), Bits: bitsOf(strings.ToLower(m.Name)),
	}
}

// Score is how a model's P99 stands in its group, in standard deviations. It is a display: a handful of models with heavy
// tails decides nothing.
type Score struct {
	Model string `json:"model"`
	Group Group  `json:"group"`
	// Z is by mean and standard deviation; absent in a group of fewer than 8 models. Refusal says why.
	Z       swap.Value `json:"z"`
	Refusal string     `json:"refusal,omitempty"`
	// Robust is by median and median absolute deviation, which a single slow model does not move; absent in a group of fewer
	// than 3, and where more than half of the values are equal.
	Robust swap.Value `json:"robust_z"`
}

const (
	// toDeviation makes a median absolute deviation an estimate of the standard deviation of normal values: 1/Φ⁻¹(3/4).
	toDeviation = 1.4826
	// fewestRobust is the smallest group with a median that is not one of two.
	fewestRobust = 3
)

// Scores normalises the P99 of models, each within its group, in the order given.
func Scores(models []Model) []Score {
	members := map[Group][]int{}
	for i, m := range models {
		members[GroupOf(m)] = append(members[GroupOf(m)], i)
	}
	scores := make([]Score, len(models))
	for group, of := range members {
		values := make([]float64, len(of))
		for k, i := range of {
			values[k] = models[i].P99MS
		}
		z, refusal := classic.ZScore{}.Normalise(values)
		robust := robustScores(values)
		for k, i := range of {
			scores[i] = Score{Model: models[i].Name, Group: group, Refusal: refusal, Robust: robust[k]}
			if refusal == "" {
				scores[i].Z = swap.Of(z[k])
			}
		}
	}
	return scores
}

// robustScores are (x − median)/(1.4826·MAD), on the logarithm: latencies have a long tail above and none below.
func robustScores(values []float64) []swap.Value {
	scores := make([]swap.Value, len(values))
	if len(values) < fewestRobust {
		return scores
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	median := stats.Quantile(slices.Sorted(slices.Values(logs)), .5)
	off := make([]float64, len(logs))
	for i, v := range logs {
		off[i] = math.Abs(v - median)
	}
	slices.Sort(off)
	mad := stats.Quantile(off, .5)
	for i, v := range logs {
		scores[i] = swap.Of((v - median) / (toDeviation * mad))
	}
	return scores
}
