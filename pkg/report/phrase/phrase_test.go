package phrase_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestQuantityHasThreeSignificantDigitsAndItsUnit(t *testing.T) {
	for _, c := range []struct {
		v    swap.Value
		unit string
		want string
	}{
		{swap.Of(0), "ms", "0 ms"},
		{swap.Of(0.04217), "ms", "0.0422 ms"},
		{swap.Of(9.996), "ms", "10 ms"},
		{swap.Of(812.4), "ms", "812 ms"},
		{swap.Of(12345.6), "ms", "12,346 ms"},
		{swap.Of(1234567), "tok/s", "1,234,567 tok/s"},
		{swap.Of(0.0042), "fraction", "0.42 %"},
		{swap.Of(-3), "", "−3"},
		{swap.Of(math.NaN()), "ms", "n/a"},
		{swap.Absent(), "ms", "n/a"},
	} {
		require.Equal(t, c.want, phrase.Quantity(c.v, c.unit))
	}
}

func TestChangeIsSignedInTheTermsOfTheMargin(t *testing.T) {
	relative := swap.GateResult{
		Gate: swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP99, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
		Unit: "ms", Change: swap.Of(.042), Low: swap.Of(-.01), High: swap.Of(.094),
	}
	require.Equal(t, "TTFT P99", phrase.Gate(relative.Gate))
	require.Equal(t, "+4.2 %", phrase.Change(relative))
	require.Equal(t, "−1.0 % to +9.4 %", phrase.Bounds(relative))
	require.Equal(t, "[−1.0, +9.4]", phrase.Interval(relative))
	require.Equal(t, "+10 %", phrase.Margin(relative))
	relative.Baseline, relative.Candidate = swap.Of(486), swap.Of(501)
	require.Equal(t, "486 → 501 ms", phrase.FromTo(relative))
	relative.Candidate = swap.Absent()
	require.Equal(t, "486 ms → n/a", phrase.FromTo(relative))

	absolute := swap.GateResult{
		Gate: swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute},
		Unit: "fraction", Change: swap.Of(.001),
	}
	require.Equal(t, "Error rate", phrase.Gate(absolute.Gate))
	require.Equal(t, "+0.10 pp", phrase.Change(absolute))
	require.Equal(t, "+0.5 pp", phrase.Margin(absolute))
	require.Equal(t, "n/a", phrase.Bounds(absolute))

	throughput := swap.GateResult{Gate: swap.Gate{Metric: swap.MetricThroughput, Margin: .05, Better: swap.HigherIsBetter}}
	require.Equal(t, "−5 %", phrase.Margin(throughput))
	length := swap.GateResult{Gate: swap.Gate{Metric: swap.MetricOutputTokens, Margin: .05, Better: swap.Either}}
	require.Equal(t, "±5 %", phrase.Margin(length))
}

func TestALimitIsSaidAsOne(t *testing.T) {
	g := swap.GateResult{
		Gate: swap.Gate{
			Metric: swap.MetricTTFT, Stat: swap.StatP99, VS: swap.AgainstSLO, Limit: 800, Unit: swap.Absolute, Better: swap.LowerIsBetter,
		},
		Unit: "ms", Candidate: swap.Of(640), Change: swap.Of(-160), Low: swap.Of(-200), High: swap.Of(-110),
	}
	require.Equal(t, "TTFT P99 SLO", phrase.Gate(g.Gate))
	require.Equal(t, "−160 ms to limit", phrase.Change(g))
	require.Equal(t, "−200 ms to −110 ms", phrase.Bounds(g))
	require.Equal(t, "< 800 ms", phrase.Margin(g))
	require.Equal(t, "limit < 800 ms", phrase.Tolerance(g))
	require.Equal(t, "TTFT P99 SLO is 640 ms, to be < 800 ms.", phrase.Sentence(g))
	g.Gate.Metric, g.Gate.Stat, g.Gate.Better, g.Gate.Limit, g.Unit = swap.MetricThroughput, swap.StatRate, swap.HigherIsBetter, 1500, "tok/s"
	require.Equal(t, "> 1,500 tok/s", phrase.Margin(g))
	g.Gate.Metric, g.Gate.Better, g.Gate.Limit, g.Unit = swap.MetricErrorRate, swap.LowerIsBetter, .01, "fraction"
	require.Equal(t, "< 1 %", phrase.Margin(g))
}

func TestSentencePrefersTheReason(t *testing.T) {
	g := swap.GateResult{Gate: swap.Gate{Metric: swap.MetricTPOT, Stat: swap.StatP50, Margin: .1}, Decision: swap.Fail}
	require.Contains(t, phrase.Sentence(g), "beyond the margin of +10 %")
	g.Decision = swap.Inconclusive
	require.Contains(t, phrase.Sentence(g), "not decided")
	g.Reason.Message = "TPOT P50 has\nno data."
	require.Equal(t, "TPOT P50 has no data.", phrase.Sentence(g))
}

func TestDurationHasTwoUnitsAtMost(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                        "n/a",
		1500 * time.Microsecond:             "1 ms",
		1234 * time.Millisecond:             "1.2 s",
		10 * time.Minute:                    "10 min",
		61*time.Minute + time.Second:        "1 h 1 min",
		90*time.Second + time.Second:        "1 min 31 s",
		1200*time.Hour + time.Second:        "1,200 h",
		59*time.Second + 5*time.Microsecond: "59 s",
	} {
		require.Equal(t, want, phrase.Duration(d))
	}
}

func TestUnknownDecisionIsNeverAPass(t *testing.T) {
	require.Equal(t, "UNKNOWN", phrase.Word("maybe"))
	require.Equal(t, "!", phrase.Symbol("maybe"))
	require.NotEqual(t, phrase.Meaning(swap.Pass), phrase.Meaning("maybe"))
}

func TestReasonNamesItsSubjectOnce(t *testing.T) {
	require.Equal(t, "route: weights were not honoured", phrase.Reason(swap.Reason{Subject: "route", Message: "weights were not honoured"}))
	require.Equal(t, "The route is gone", phrase.Reason(swap.Reason{Subject: "route", Message: "The route is gone"}))
	require.Equal(t, "TTFT P99 is slow", phrase.Reason(swap.Reason{Subject: "ttft_p99", Message: "TTFT P99 is slow"}))
	require.Equal(t, "LOW_N", phrase.Reason(swap.Reason{Code: "LOW_N"}))
}

func TestCleanRemovesWhatATerminalWouldObey(t *testing.T) {
	require.Equal(t, "red text", phrase.Clean("\x1b[31mred\x1b[0m\r\n\ttext"))
	require.Equal(t, "link", phrase.Clean("\x1b]8;;http://evil\x07link\x1b]8;;\x07"))
	require.Equal(t, "user.exe", phrase.Clean("user\u202e.exe"))
	require.Equal(t, "a\uFFFDb", phrase.Clean("a\xffb"))
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31mred", "\x1b]0;title\x07x", "a\xff\u202eb", "]]>", "\u0085\u009b31m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := phrase.Clean(s)
		require.True(t, utf8.ValidString(got))
		require.NotContains(t, got, "\x1b")
		require.NotContains(t, got, "\n")
		require.Equal(t, got, phrase.Clean(got), "cleaning is idempotent")
	})
}

func TestClipKeepsTheLimitAndWholeWords(t *testing.T) {
	require.Equal(t, "the quick…", phrase.Clip("the quick brown fox", 12))
	require.Equal(t, "short", phrase.Clip("short", 5))
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(0, 40).Draw(t, "limit")
		got := phrase.Clip(s, limit)
		require.LessOrEqual(t, utf8.RuneCountInString(got), limit)
		if utf8.RuneCountInString(s) <= limit {
			require.Equal(t, s, got)
		} else if limit > 0 {
			require.True(t, strings.HasSuffix(got, "…"))
		}
	})
}

func TestModel(t *testing.T) {
	require.Equal(t, "llama on vllm 0.9", phrase.Model(swap.ArmFacts{Model: "llama", Engine: "vllm", Version: "0.9"}))
	require.Equal(t, "n/a", phrase.Model(swap.ArmFacts{}))
}

func TestQualityIsWrittenAsAShare(t *testing.T) {
	g := swap.GateResult{
		Gate: swap.Gate{Metric: swap.MetricQuality, Stat: swap.StatMean, Margin: .01, Unit: swap.Absolute, Better: swap.HigherIsBetter},
		Unit: "fraction", Baseline: swap.Of(.9), Candidate: swap.Of(.812), Change: swap.Of(-.088), Low: swap.Of(-.1), High: swap.Of(-.076),
	}
	require.Equal(t, "Quality mean", phrase.Gate(g.Gate))
	require.Equal(t, "90 → 81.2 %", phrase.FromTo(g))
	require.Equal(t, "−8.80 pp", phrase.Change(g))
	require.Equal(t, "−10.00 pp to −7.60 pp", phrase.Bounds(g))
	require.Equal(t, "−1 pp", phrase.Margin(g))
}
