package classic

import "github.com/swapgate/swapgate/pkg/swap"

// CoverageRatio is the coverage of prompts as the number of clusters that were hit over the number of prompt variants.
type CoverageRatio struct{}

// CoverageReading is what CoverageRatio found.
type CoverageReading struct {
	// Reading has the ratio. The rule has no threshold, so it never fires.
	Reading
	// Ceiling is the ratio when every cluster is hit: below 1 where variants share clusters.
	Ceiling float64
	// OfClusters is the number of clusters that were hit over that of all.
	OfClusters float64
}

// Name is classic_coverage_ratio.
func (CoverageRatio) Name() swap.RuleName { return "classic_coverage_ratio" }

// Weakness is one sentence.
func (CoverageRatio) Weakness() string {
	return "it cannot reach 1 where variants share clusters and falls as variants are added, so that 80 variants in 20 clusters end at " +
		"0.25, and stages with unlike numbers of variants do not compare"
}

// Read takes the cluster of each variant, and those of the prompts that were sent. A cluster that no variant has counts for
// nothing.
func (CoverageRatio) Read(variants, sent []int) CoverageReading {
	if len(variants) == 0 {
		return CoverageReading{Reading: refuse("there are no variants")}
	}
	hit := map[int]bool{}
	for _, cluster := range variants {
		hit[cluster] = false
	}
	reached := 0
	for _, cluster := range sent {
		if done, known := hit[cluster]; known && !done {
			hit[cluster] = true
			reached++
		}
	}
	n := float64(len(variants))
	r := refuse("")
	r.Value = float64(reached) / n
	return CoverageReading{Reading: r, Ceiling: float64(len(hit)) / n, OfClusters: float64(reached) / float64(len(hit))}
}
