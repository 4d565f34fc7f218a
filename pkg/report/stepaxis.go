package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swapgate/swapgate/pkg/report/phrase"
)

// longestTick is how many characters a step may have on an axis; longer names would leave room for too few. A step that is
// the only one has the whole axis.
const (
	longestTick     = 12
	longestOnlyTick = 40
)

// stepAxis names the load steps below a chart: by what differs between them, since their whole names do not fit.
type stepAxis struct {
	Labels []string
	// By is what the labels are numbers of, such as "concurrency".
	By string
}

func newStepAxis(steps []string) stepAxis {
	if len(steps) == 1 {
		return stepAxis{Labels: []string{phrase.Clip(phrase.Clean(steps[0]), longestOnlyTick)}, By: "load step"}
	}
	words := make([][]string, len(steps))
	for i, s := range steps {
		words[i] = strings.Fields(phrase.Clean(s))
	}
	before := common(words, func(w []string, k int) string { return w[k] })
	for i := range words {
		words[i] = words[i][len(before):]
	}
	after := common(words, func(w []string, k int) string { return w[len(w)-1-k] })
	slices.Reverse(after)
	a := stepAxis{By: strings.Join(append(before, after...), " ")}
	for i := range words {
		a.Labels = append(a.Labels, strings.Join(words[i][:len(words[i])-len(after)], " "))
	}
	return a.shortened()
}

// common is what all names begin with, word by word; at least one word of each is left over. at takes the k-th word.
func common(names [][]string, at func(words []string, k int) string) []string {
	if len(names) == 0 {
		return nil
	}
	var shared []string
	for k := 0; ; k++ {
		for _, words := range names {
			if k+1 >= len(words) || at(words, k) != at(names[0], k) {
				return shared
			}
		}
		shared = append(shared, at(names[0], k))
	}
}

// shortened falls back on the numbers of the steps where names are too long.
func (a stepAxis) shortened() stepAxis {
	if a.By == "" {
		a.By = "load step"
	}
	a.By = phrase.Clip(a.By, 40)
	long := func(label string) bool { return utf8.RuneCountInString(label) > longestTick }
	if !slices.ContainsFunc(a.Labels, long) {
		return a
	}
	a.By = "number of the load step"
	for i := range a.Labels {
		a.Labels[i] = phrase.Count(i + 1)
	}
	return a
}
