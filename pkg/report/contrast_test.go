package report_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestColoursContrast holds both themes to WCAG 2.1 AA: 4.5 for text, 3 for the marks of a chart.
func TestColoursContrast(t *testing.T) {
	css, err := os.ReadFile("template/style.gohtml")
	require.NoError(t, err)
	themes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(css, 2)
	require.Len(t, themes, 2)
	for i, theme := range themes {
		colours := map[string]float64{}
		for _, c := range regexp.MustCompile(`--([a-z0-9-]+): #([0-9a-f]{6})`).FindAllSubmatch(theme[1], -1) {
			colours[string(c[1])] = luminance(t, string(c[2]))
		}
		require.GreaterOrEqual(t, len(colours), 20)
		for _, pair := range [][2]string{
			{"text", "card"},
			{"text", "page"},
			{"muted", "card"},
			{"muted", "band-2"},
			{"link", "card"},
			{"link", "page"},
			{"pass", "pass-soft"},
			{"fail", "fail-soft"},
			{"inconclusive", "inconclusive-soft"},
			{"neutral", "neutral-soft"},
			{"fail", "card"},
			{"inconclusive", "card"},
			{"neutral", "card"},
		} {
			require.GreaterOrEqual(t, contrast(colours[pair[0]], colours[pair[1]]), 4.5, "theme %d: %v", i, pair)
		}
		for _, mark := range []string{"baseline", "candidate", "shared", "pass", "fail", "inconclusive"} {
			for _, ground := range []string{"card", "band", "band-2", "fail-soft"} {
				require.GreaterOrEqual(t, contrast(colours[mark], colours[ground]), 3.0, "theme %d: %s on %s", i, mark, ground)
			}
		}
	}
}

func contrast(a, b float64) float64 { return (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05) }

// luminance is the relative luminance of an sRGB colour, as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
