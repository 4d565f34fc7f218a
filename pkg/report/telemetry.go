package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
)

// telemetryGroup is every series of one metric, which share a chart.
type telemetryGroup struct {
	name    string
	heading string
	series  []chart.Series
}

func (g telemetryGroup) desc() string {
	return fmt.Sprintf("%s, %d series, on the same time axis as the load.", g.heading, len(g.series))
}

// byName groups series by name, in the order in which the names first appear.
func byName(all []TimeSeries) []telemetryGroup {
	var groups []telemetryGroup
	for _, s := range all {
		at := slices.IndexFunc(groups, func(g telemetryGroup) bool { return g.name == s.Name })
		title, unit, factor := describe(s.Name, s.Unit)
		if at < 0 {
			heading := title
			if unit != "" {
				heading += ", in " + unit
			}
			groups = append(groups, telemetryGroup{name: s.Name, heading: heading})
			at = len(groups) - 1
		}
		groups[at].series = append(groups[at].series, toSeries(s, factor))
	}
	return groups
}

func toSeries(s TimeSeries, factor float64) chart.Series {
	out := chart.Series{Arm: s.Arm, Points: make([]chart.Point, len(s.Points))}
	for i, p := range s.Points {
		out.Points[i] = chart.Point{At: p.At, Value: p.Value * factor}
	}
	return out
}

// nameEnding is how a canonical metric name says its unit, and how that unit is shown.
type nameEnding struct {
	ending, unit string
	factor       float64
}

var nameEndings = [...]nameEnding{
	{"_bytes_per_s", "MiB/s", 1.0 / (1 << 20)},
	{"_per_s", "1/s", 1},
	{"_bytes", "GiB", 1.0 / (1 << 30)},
	{"_percent", "%", 1},
	{"_share", "%", 100},
	{"_seconds", "s", 1},
	{"_mhz", "MHz", 1},
	{"_ms", "ms", 1},
	{"_w", "W", 1},
	{"_c", "°C", 1},
}

// initialisms are the words of metric names that are not spelt like words.
var initialisms = map[string]string{
	"gpu": "GPU", "kv": "KV", "sm": "SM", "pcie": "PCIe", "dram": "DRAM", "nvml": "NVML", "ttft": "TTFT", "tpot": "TPOT",
}

// describe gives a series its title and unit. A unit that is given stays as it is, and so does the name beside it.
func describe(name, unit string) (title, shown string, factor float64) {
	name = phrase.Clean(name)
	factor = 1
	if unit != "" {
		return words(name), phrase.Clean(unit), factor
	}
	for _, e := range nameEndings {
		if base, found := strings.CutSuffix(name, e.ending); found && base != "" {
			return words(base), e.unit, e.factor
		}
	}
	return words(name), "", factor
}

// words reads a snake_case name as words, the first with a capital.
func words(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' })
	for i, p := range parts {
		if known, ok := initialisms[strings.ToLower(p)]; ok {
			parts[i] = known
		} else if i == 0 {
			first, size := utf8.DecodeRuneInString(p)
			parts[i] = string(unicode.ToUpper(first)) + p[size:]
		}
	}
	return strings.Join(parts, " ")
}
