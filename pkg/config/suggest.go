package config

import "strings"

// closest returns the candidate nearest to name by edit distance, if one is near enough to be a slip of the pen. Case,
// hyphens and underscores do not count.
func closest(name string, candidates []string) (string, bool) {
	best, distance := "", 1+len(name)/3
	for _, c := range candidates {
		d := editDistance(fold(name), fold(c))
		if d < distance || (d == distance && (best == "" || c < best)) {
			best, distance = c, d
		}
	}
	return best, best != "" && best != name
}

func fold(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// editDistance is the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
func editDistance(a, b string) int {
	const limit = 64
	a, b = a[:min(len(a), limit)], b[:min(len(b), limit)]
	var before []int
	previous := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, previous[j]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, previous = previous, row
	}
	return previous[len(b)]
}
