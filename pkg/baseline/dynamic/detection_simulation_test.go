//go:build simulation

package dynamic

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table into docs/baselines.md")

const (
	doc = "../../../docs/baselines.md"
	// begin and end enclose the table.
	begin, end = "<!-- detection: begin -->\n", "<!-- detection: end -->\n"

	runs = 200
)

// column is one process and what is measured of it.
type column struct {
	name    string
	series  [][]float64
	measure func(alarms [][]bool) float64
}

func columns() []column {
	iid, half, slow := steady(runs, 0, 0), steady(runs, .5, wander), steady(runs, .9, wander)
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

// TestDetectionCharacteristics holds the table in the documentation to a simulation.
func TestDetectionCharacteristics(t *testing.T) {
	measured := columns()
	table := make([][]float64, len(detectors()))
	for i, d := range detectors() {
		for _, c := range measured {
			table[i] = append(table[i], c.measure(judge(t, d, c.series)))
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
