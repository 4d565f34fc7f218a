package dynamic

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/stats"
)

var update = flag.Bool("update", false, "write the table into docs/baselines.md")

const (
	doc = "../../../docs/baselines.md"
	// begin and end enclose the table.
	begin, end = "<!-- detection: begin -->\n", "<!-- detection: end -->\n"

	runs = 60
	// past is how many healthy windows go before, judged how many are looked at: at 10 s a window, half an hour.
	past, judged = 500, 180
	// requests are those of a window, whose P95 is the series.
	requests = 60
	// wander is the standard deviation of the level's logarithm where it is correlated.
	wander = .15
)

// steady are healthy series: the P95 of log-normal latencies whose level wanders from window to window with the given memory.
func steady(memory, deviation float64) [][]float64 {
	p := process.Process{Marginal: process.LogNormal(100, .5)}
	series := make([][]float64, runs)
	for i := range series {
		random := rand.New(rand.NewPCG(uint64(1+i), math.Float64bits(memory)))
		for _, level := range (process.Drift{Wander: deviation, Memory: memory}).Levels(random, past+judged) {
			series[i] = append(series[i], stats.Quantiles(p.Block(random, requests, level), .95)[0])
		}
	}
	return series
}

// shifted multiplies the judged part.
func shifted(series [][]float64, factor func(window int) float64) [][]float64 {
	changed := make([][]float64, len(series))
	for i, s := range series {
		changed[i] = append([]float64{}, s...)
		for w := range judged {
			changed[i][past+w] *= factor(w)
		}
	}
	return changed
}

func by(share float64) func(int) float64 { return func(int) float64 { return 1 + share } }

// rising gains a fifth in the course of the judged windows.
func rising(window int) float64 { return 1 + .2*float64(window+1)/judged }

// column is one process and what is measured of it.
type column struct {
	name    string
	series  [][]float64
	measure func(alarms [][]bool) float64
}

// perTenThousand is how many of 10,000 healthy windows raise an alarm.
func perTenThousand(alarms [][]bool) float64 {
	n := 0
	for _, run := range alarms {
		for _, alarm := range run {
			if alarm {
				n++
			}
		}
	}
	return float64(n) / float64(len(alarms)*judged) * 1e4
}

// medianDelay is how many windows pass until half of the runs have raised an alarm.
func medianDelay(alarms [][]bool) float64 {
	delays := make([]float64, len(alarms))
	for i, run := range alarms {
		delays[i] = delay(run)
	}
	return stats.Quantiles(delays, .5)[0]
}

func columns() []column {
	iid, half, slow := steady(0, 0), steady(.5, wander), steady(.9, wander)
	return []column{
		{"false alarms, independent", iid, perTenThousand},
		{"AR(1) 0.5", half, perTenThousand},
		{"AR(1) 0.9", slow, perTenThousand},
		{"delay at +5 %", shifted(iid, by(.05)), medianDelay},
		{"+10 %", shifted(iid, by(.1)), medianDelay},
		{"+20 %", shifted(iid, by(.2)), medianDelay},
		{"+50 %", shifted(iid, by(.5)), medianDelay},
		{"+20 %, AR(1) 0.9", shifted(slow, by(.2)), medianDelay},
		{"drift of 20 % in 180", shifted(iid, rising), medianDelay},
	}
}

// TestDetection holds the table in the documentation to a simulation.
func TestDetection(t *testing.T) {
	measured := columns()
	table := make([][]float64, len(detectors()))
	for i, d := range detectors() {
		for _, c := range measured {
			alarms := make([][]bool, runs)
			for r, series := range c.series {
				var err error
				alarms[r], err = d.alarms(series, past)
				require.NoError(t, err)
			}
			table[i] = append(table[i], c.measure(alarms))
		}
	}
	text := markdown(measured, table)
	t.Log("\n" + text)
	content, err := os.ReadFile(doc)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(content), begin)
	require.True(t, ok)
	old, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(doc, []byte(before+begin+text+end+after), 0o600))
		return
	}
	requireAlike(t, old, text)
	require.InDelta(t, 2500, table[0][0], 500, "the classic hybrid calls every fourth healthy window unusual")
	for k := range 3 {
		require.InDelta(t, 100, table[7][k], 60, "adaptive conformal holds its rate of alarms for %s", measured[k].name)
	}
}

func markdown(measured []column, table [][]float64) string {
	var out strings.Builder
	out.WriteString("| option |")
	for _, c := range measured {
		out.WriteString(" " + c.name + " |")
	}
	out.WriteString("\n|---|" + strings.Repeat("---:|", len(measured)) + "\n")
	for i, d := range detectors() {
		out.WriteString("| " + d.name + " |")
		for _, v := range table[i] {
			if math.IsInf(v, 1) {
				out.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&out, " %.0f |", v)
		}
		out.WriteString("\n")
	}
	return out.String()
}

var numbers = regexp.MustCompile(`\| (\d+|–) `)

// requireAlike compares two tables up to what other processors round differently.
func requireAlike(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, numbers.ReplaceAllString(want, "| # "), numbers.ReplaceAllString(got, "| # "))
	wants, gots := numbers.FindAllStringSubmatch(want, -1), numbers.FindAllStringSubmatch(got, -1)
	require.Len(t, gots, len(wants))
	for i := range wants {
		w, errW := strconv.ParseFloat(wants[i][1], 64)
		g, errG := strconv.ParseFloat(gots[i][1], 64)
		require.Equal(t, errW == nil, errG == nil, "cell %d", i)
		require.InDelta(t, w, g, 3+w/20, "cell %d", i)
	}
}
