package hypothesis

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// permutationStream separates these random numbers from other users of the same seed.
const permutationStream = 0xd1b54a32d192ed03

// Statistic is what a permutation test compares: the larger, the more the two samples differ. second[k] says that block k
// belongs to the second sample; it must not be kept or changed. A Statistic need not be safe for use by several goroutines.
type Statistic func(second []bool) float64

// BlockDesign says which blocks belong to which sample, and which could have been exchanged.
type BlockDesign struct {
	// Second says of each block whether it belongs to the second sample.
	Second []bool
	// Strata says within which group of blocks the labels were dealt: the pairs of a paired design, the quads of ABBA. nil
	// means that any block could have had any label.
	Strata stats.Strata
}

// Permutation is the outcome of a permutation test.
type Permutation struct {
	// Observed is the statistic of the samples as they are.
	Observed float64
	// P is (b+1)/(B+1) for b of B relabellings that reach the observed statistic, never 0 (Phipson and Smyth 2010).
	P float64
	// Relabellings is how many different ways there are to deal the labels; +Inf where that overflows. P cannot reliably come
	// below 1/Relabellings, so a few blocks cannot show anything at a strict level.
	Relabellings float64
}

// Permute deals the labels of whole blocks anew, resamples times and at random within the strata, and asks how often the
// statistic comes out at least as large as observed, up to rounding. What depends on each other within a block stays together,
// so p holds its level for correlated values as long as blocks are exchangeable. A statistic that is NaN after dealing counts
// as large.
//
// ok is false where no stratum has blocks of both samples, the lengths differ, there are no resamples, or the observed
// statistic is NaN.
func (d BlockDesign) Permute(statistic Statistic, resamples int, seed uint64) (result Permutation, ok bool) {
	strata := d.Strata
	if strata == nil {
		strata = make(stats.Strata, len(d.Second))
	}
	if len(strata) != len(d.Second) || resamples < 1 {
		return Permutation{}, false
	}
	dealt := newDeck(d.Second, strata)
	result = Permutation{Observed: statistic(dealt.labels), Relabellings: dealt.relabellings()}
	if math.IsNaN(result.Observed) || result.Relabellings <= 1 {
		return Permutation{}, false
	}
	random := rand.New(rand.NewPCG(seed, permutationStream))
	threshold := result.Observed * (1 - math.Copysign(roundingSlack, result.Observed))
	reached := 0
	for range resamples {
		dealt.shuffle(random)
		if !(statistic(dealt.labels) < threshold) {
			reached++
		}
	}
	result.P = float64(reached+1) / float64(resamples+1)
	return result, true
}

// roundingSlack is by how much, relatively, sums of the same values in another order may differ.
const roundingSlack = 1e-12

// deck is labels that are dealt within groups of blocks.
type deck struct {
	labels []bool
	groups [][]int
}

func newDeck(labels []bool, strata stats.Strata) deck {
	d := deck{labels: slices.Clone(labels)}
	at := map[int]int{}
	for k, stratum := range strata {
		i, known := at[stratum]
		if !known {
			i = len(d.groups)
			at[stratum] = i
			d.groups = append(d.groups, nil)
		}
		d.groups[i] = append(d.groups[i], k)
	}
	return d
}

func (d deck) shuffle(random *rand.Rand) {
	for _, group := range d.groups {
		for last := len(group) - 1; last > 0; last-- {
			a, b := group[last], group[random.IntN(last+1)]
			d.labels[a], d.labels[b] = d.labels[b], d.labels[a]
		}
	}
}

func (d deck) relabellings() float64 {
	product := 1.0
	for _, group := range d.groups {
		second := 0
		for _, k := range group {
			if d.labels[k] {
				second++
			}
		}
		for i := 1; i <= second; i++ {
			product *= float64(len(group)-second+i) / float64(i)
		}
	}
	return math.Round(product)
}
