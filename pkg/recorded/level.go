package recorded

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// levelTolerance is how far apart two rates may be that count as one load level. Tools that sweep choose rates by what they found
// of the server, so that equal intentions differ; 1 % of load moves a latency by less than the tightest margin short of saturation.
const levelTolerance = .01

// Level is a load level. A field of 0 is not known or does not apply.
type Level struct {
	// Concurrency is the number of requests in flight, or the most of them where there is a rate.
	Concurrency int
	// Rate is in requests per second.
	Rate float64
	// Name is a level that has no number, such as synchronous.
	Name string
}

// Same reports whether two levels are the same load.
func (l Level) Same(o Level) bool {
	return l.Name == o.Name && l.Concurrency == o.Concurrency && math.Abs(l.Rate-o.Rate) <= levelTolerance*max(l.Rate, o.Rate)
}

func (l Level) String() string {
	var parts []string
	if l.Rate > 0 {
		parts = append(parts, strconv.FormatFloat(l.Rate, 'g', 4, 64)+" req/s")
	}
	switch {
	case l.Concurrency > 0 && l.Rate > 0:
		parts = append(parts, "at most "+strconv.Itoa(l.Concurrency)+" in flight")
	case l.Concurrency > 0:
		parts = append(parts, "concurrency "+strconv.Itoa(l.Concurrency))
	}
	if l.Name != "" {
		parts = append(parts, l.Name)
	}
	if len(parts) == 0 {
		return "unknown load"
	}
	return strings.Join(parts, ", ")
}

// Unknown reports whether nothing is known of the load.
func (l Level) Unknown() bool { return l == Level{} }

// kind is what levels must have in common to be of more or less load: all but the rate, or all but the concurrency where there is no
// rate.
func (l Level) kind() Level {
	if l.Rate > 0 {
		return Level{Concurrency: l.Concurrency, Name: "rate " + l.Name}
	}
	if l.Concurrency > 0 {
		return Level{Name: "concurrency " + l.Name}
	}
	return l
}

// compare orders two levels of one kind by their load.
func (l Level) compare(o Level) int {
	return cmp.Or(cmp.Compare(l.Rate, o.Rate), cmp.Compare(l.Concurrency, o.Concurrency))
}
