package raster

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/swap"
)

var black = color.RGBA{A: 0xff}

// inked is the area that is painted black, in pixels.
func inked(c *Canvas) float64 {
	sum := 0.0
	for i := 0; i < len(c.img.Pix); i += 4 {
		sum += 1 - float64(c.img.Pix[i])/255
	}
	return sum
}

func TestAPolygonCoversItsArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(1, 39)
		triangle := []vec{
			{coordinate.Draw(t, "x1"), coordinate.Draw(t, "y1")},
			{coordinate.Draw(t, "x2"), coordinate.Draw(t, "y2")},
			{coordinate.Draw(t, "x3"), coordinate.Draw(t, "y3")},
		}
		a, b, d := triangle[0], triangle[1], triangle[2]
		area := math.Abs((b.x-a.x)*(d.y-a.y)-(d.x-a.x)*(b.y-a.y)) / 2
		c := New(40, 40, 1)
		c.outline(triangle)
		c.fill(black)
		require.InDelta(t, area, inked(c), 0.02*area+0.6, "8 bits a pixel")
	})
}

func TestWhatLiesOutsideIsCutOff(t *testing.T) {
	c := New(10, 10, 1)
	c.outline([]vec{{-5, -5}, {5, -5}, {5, 50}, {-5, 50}})
	c.fill(black)
	require.InDelta(t, 50, inked(c), 0.1)
	c.stroke([]vec{{-100, -100}, {-50, 200}, {300, 300}}, 3)
	c.fill(black)
	require.InDelta(t, 50, inked(c), 0.1)
}

func TestOverlapsOfAStrokeAreNotCutOut(t *testing.T) {
	c := New(40, 40, 1)
	c.stroke([]vec{{10, 20}, {30, 20}, {10, 20}, {10, 20}}, 4)
	c.fill(black)
	require.InDelta(t, 20*4+math.Pi*4, inked(c), 3)
}

func TestOutlinesReadWhatChartsDraw(t *testing.T) {
	lines, closed := outlines("M1 2L3 4H5V6h-2v.5zM10 10a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z")
	require.Equal(t, []vec{{1, 2}, {3, 4}, {5, 4}, {5, 6}, {3, 6}, {3, 6.5}}, lines[0])
	require.Equal(t, []bool{true, true}, closed)
	require.Len(t, lines[1], 17)
	for _, v := range lines[1] {
		require.InDelta(t, 3, math.Hypot(v.x-13, v.y-10), 1e-9)
	}
	for _, broken := range []string{"", "L1 2", "M1", "M1 x", "Q1 2 3 4"} {
		lines, _ := outlines(broken)
		require.Empty(t, lines, broken)
	}
}

func TestDashesKeepToTheLine(t *testing.T) {
	dashes := dashed([]vec{{0, 0}, {10, 0}, {10, 10}}, 5, 3)
	require.Equal(t, [][]vec{{{0, 0}, {5, 0}}, {{8, 0}, {10, 0}, {10, 3}}, {{10, 6}, {10, 10}}}, dashes)
}

func FuzzOutlines(f *testing.F) {
	f.Add("M1 2L3 4H5V6h-2v.5zM10 10a3 3 0 1 0 6 0z")
	f.Fuzz(func(t *testing.T, d string) {
		lines, closed := outlines(d)
		require.Len(t, closed, len(lines))
		for _, l := range lines {
			require.NotEmpty(t, l)
		}
	})
}

func TestEveryPrintableCharacterHasItsOwnGlyph(t *testing.T) {
	seen := map[string]rune{}
	for r := '!'; r <= '~'; r++ {
		strokes, known := glyphs[r]
		require.True(t, known, "%c", r)
		require.Regexp(t, `^([0-4][0-8]){2,}( ([0-4][0-8]){2,})*$`, strokes, "%c", r)
		if other, found := seen[strokes]; found {
			require.Equal(t, "O0", string([]rune{r, other}), "alike")
		}
		seen[strokes] = r
	}
}

func TestTextIsAsWideAsItSays(t *testing.T) {
	for _, text := range []string{"TTFT P99 +12.0 %", "→ ☃", "iiii"} {
		c := New(200, 30, 1)
		c.Text(10, 20, 11, black, text)
		right := 0
		for x := range 200 {
			for y := range 30 {
				if c.img.RGBAAt(x, y).R < 128 {
					right = x
				}
			}
		}
		require.InDelta(t, 10+TextWidth(text, 11), right, 2, text)
	}
	require.Zero(t, TextWidth("", 11))
}

func TestAChartIsDrawnInItsColours(t *testing.T) {
	ch := chart.ECDF("", "", chart.Size{Width: 200, Height: 100}, swap.PerArm[chart.Sample]{
		Baseline: chart.Sample{Sorted: []float64{1, 2, 3}}, Candidate: chart.Sample{Sorted: []float64{4, 5, 60}},
	})
	c := New(200, 100, 2)
	c.Chart(0, 0, ch)
	data, err := c.PNG()
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, 400, img.Bounds().Dx())
	found := map[color.RGBA]bool{}
	for i := 0; i < len(c.img.Pix); i += 4 {
		found[color.RGBA{c.img.Pix[i], c.img.Pix[i+1], c.img.Pix[i+2], 0xff}] = true
	}
	for _, ink := range []color.RGBA{baseline, candidate, gridInk, muted, white} {
		require.True(t, found[ink], ink)
	}
}

// The classes that charts use are those that have a look here, or a decision's.
func TestEveryMarkHasALook(t *testing.T) {
	for class, want := range map[string]look{
		"gridline": {line: &gridInk, width: 1}, "axis": {line: &muted, width: 1}, "zero": {line: &muted, width: 1},
		"band": {fill: &bandInk}, "band alternate": {fill: &band2Ink}, "beyond": {fill: &failSoft},
		"interval pass line": {line: &passInk, width: 2.2}, "interval fail dot": {fill: &failInk},
		"interval inconclusive line": {line: &openInk, width: 2.2}, "interval error line": {line: &neutral, width: 2.2},
		"arm-candidate line": {line: &candidate, width: 1.8}, "arm-shared line": {line: &shared, width: 1.8},
	} {
		require.Equal(t, want, lookOf(class), class)
	}
	require.Positive(t, lookOf("arm-baseline line").on, "the baseline is dashed")
}
