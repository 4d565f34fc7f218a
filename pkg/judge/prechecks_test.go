package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// caching makes the server of an arm report that it found a share of the prompt's 200 tokens in its cache.
func (s *scene) caching(arm swap.Arm, cached int32) {
	prompt := int32(200)
	s.each(func(r *rawlog.Record) {
		if r.Arm == string(arm) {
			r.PromptTokens, r.CachedTokens = &prompt, &cached
		}
	})
}

func TestCachesThatDifferDecideNothingOnLatency(t *testing.T) {
	s := usual()
	s.ttft, s.fails = .5, .05
	s.caching(swap.Baseline, 10)
	s.caching(swap.Candidate, 120)
	gates := []swap.Gate{
		gate(swap.MetricTTFT, swap.StatP50, .1), gate(swap.MetricErrorRate, swap.StatRate, .01), gate(swap.MetricOutputTokens, swap.StatMean, .1),
	}
	got := Decide(s.evidence(gates...))
	for _, g := range got.Gates {
		want := swap.ReasonContaminated
		switch g.Gate.Metric {
		case swap.MetricErrorRate:
			want = swap.ReasonGateFailed
		case swap.MetricOutputTokens:
			want = ""
		}
		require.Equal(t, want, g.Reason.Code, g.Name)
	}
	require.Equal(t, swap.Fail, got.Decision, "errors have nothing to do with caches")
	require.Contains(t, codes(got.Reasons), swap.ReasonContaminated)

	s.fails = 0
	got = Decide(s.evidence(gates...))
	require.Equal(t, swap.Inconclusive, got.Decision)
	require.Equal(t, []string{swap.ReasonContaminated}, codes(got.Reasons))
	require.Contains(t, got.Reasons[0].Message,
		"5.0 % of the baseline's prompt tokens and 60.0 % of the candidate's were found in a cache")
	require.Contains(t, got.Gates[0].Reason.Message, "not decided, because the arms' caches differ; it would otherwise be a pass")
}

func TestWhatCachesAreFound(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, cand int32
		says       string
	}{
		{"little on both", 10, 16, ""},
		{"much on both", 150, 150, "hardly measured: 75.0 %"},
		{"one server does not say", 100, -1, "baseline found 50.0 % of its prompt tokens in a cache, and the candidate does not say"},
		{"one server does not say, the other has none", 0, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			for arm, cached := range map[swap.Arm]int32{swap.Baseline: c.base, swap.Candidate: c.cand} {
				if cached >= 0 {
					s.caching(arm, cached)
				}
			}
			got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2)))
			require.Equal(t, swap.Pass, got.Decision)
			if c.says == "" {
				require.Empty(t, got.Findings)
				return
			}
			require.Len(t, got.Findings, 1)
			require.Contains(t, got.Findings[0].Message, c.says)
		})
	}
}

// One block of twelve with a warm cache is a difference of 6 percentage points that the blocks do not prove.
func TestACacheDifferenceThatOneBlockMakesIsOnlyFound(t *testing.T) {
	s := usual()
	s.steps = 1
	s.caching(swap.Baseline, 0)
	prompt, warm := int32(200), int32(144)
	s.each(func(r *rawlog.Record) {
		cold := int32(0)
		if r.PromptTokens = &prompt; r.Arm == string(swap.Candidate) {
			if r.CachedTokens = &cold; r.Block == 2 {
				r.CachedTokens = &warm
			}
		}
	})
	got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2)))
	require.Equal(t, swap.Pass, got.Decision)
	require.Contains(t, got.Findings[0].Message, "may differ: 0.0 % of the baseline's prompt tokens and 6.0 % of the candidate's")
}

func TestArmsThatMeasureUnlikeSharesOfOnePlanAreASampleRatioMismatch(t *testing.T) {
	drop := func(every int32) Evidence {
		s := usual()
		e := s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2))
		for b := range e.Blocks {
			block := &e.Blocks[b]
			if block.Arm != swap.Candidate {
				continue
			}
			kept := Requests{}
			ttft := 100.
			for i := range int32(block.Requests.Len()) {
				if i%every != 0 {
					first, last := int64(1e3*ttft), int64(2e3*ttft)
					kept.Append(&rawlog.Record{Outcome: string(swap.OK), SentUnixNS: 1, FirstUS: &first, LastUS: &last})
				}
			}
			block.Requests = kept
		}
		return e
	}
	got := Decide(drop(10)) // 3600 against 3240: χ² = 360²/6840
	require.Equal(t, swap.Inconclusive, got.Decision)
	require.Equal(t, swap.ReasonSampleRatio, got.Reasons[0].Code)
	require.Contains(t, got.Reasons[0].Message, "3600 of the baseline and 3240 of the candidate were measured (χ² = 18.9, p = 1.3e-05)")

	lost := drop(5)
	lost.Gates = append(lost.Gates, gate(swap.MetricThroughput, swap.StatRate, .05))
	require.Equal(t, swap.Inconclusive, Decide(lost).Decision, "what the lost requests take away is not the candidate's")

	got = Decide(drop(30)) // 3600 against 3480: χ² = 120²/7080 = 2.03
	require.NotContains(t, codes(got.Reasons), swap.ReasonSampleRatio)

	closed := drop(10)
	for b := range closed.Blocks {
		if block := &closed.Blocks[b]; block.Arm == swap.Candidate {
			block.Planned -= 15
		}
	}
	require.NotContains(t, codes(Decide(closed).Reasons), swap.ReasonSampleRatio, "a slower server is asked less in a closed loop")
}

func TestImpossibleTimesForbidAPass(t *testing.T) {
	for name, spoil := range map[string]func(*rawlog.Record){
		"a token before the request": func(r *rawlog.Record) { first := int64(-5); r.FirstUS = &first },
		"the last before the first":  func(r *rawlog.Record) { last := *r.FirstUS - 1; r.LastUS = &last },
	} {
		t.Run(name, func(t *testing.T) {
			s := usual()
			s.spoil(swap.Candidate, 3000, spoil)
			got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2)))
			require.Equal(t, swap.Inconclusive, got.Decision)
			require.Equal(t, []string{swap.ReasonClock}, codes(got.Reasons))
			require.Contains(t, got.Reasons[0].Message, "1 request has impossible times")
		})
	}
}

// disturb makes what comes second in its pair slower, on both arms, as when the other arm's load has not drained.
func (s *scene) disturb(factor float64) {
	s.each(func(r *rawlog.Record) {
		if r.Block%2 == 0 && r.FirstUS != nil {
			first := int64(float64(*r.FirstUS) * factor)
			last := *r.LastUS + first - *r.FirstUS
			r.FirstUS, r.LastUS = &first, &last
		}
	})
}

func TestABaselineThatDiffersFromItselfDecidesNothing(t *testing.T) {
	s := usual()
	s.disturb(1.4)
	got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2), gate(swap.MetricErrorRate, swap.StatRate, .01)))
	require.Equal(t, swap.Inconclusive, got.Decision)
	require.Equal(t, []string{swap.ReasonSelfCompare}, codes(got.Reasons))
	require.Contains(t, got.Reasons[0].Message, "the baseline differs from itself (")
	require.Equal(t, swap.Pass, got.Gates[1].Decision, "its errors do not differ")

	s.ttft = 1.3
	got = Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2)))
	require.Equal(t, swap.Inconclusive, got.Decision, "30 % is no more than the baseline's own difference and the margin")
	s.ttft = 3
	got = Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2)))
	require.Equal(t, swap.Fail, got.Decision, "three times as long is more")
}
