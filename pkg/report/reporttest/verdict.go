package reporttest

import (
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// hash stands for any SHA-256.
const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func arms() swap.PerArm[swap.ArmFacts] {
	return swap.PerArm[swap.ArmFacts]{
		Baseline: swap.ArmFacts{
			URL: "http://llm-a.internal:8000", Engine: "vLLM", Version: "0.11.2", Model: "meta-llama/Llama-3.1-8B-Instruct",
			MaxModelLen: swap.Of(32768), UsageInStream: true, MetricsPage: "/metrics",
		},
		Candidate: swap.ArmFacts{
			URL: "http://llm-b.internal:8000", Engine: "vLLM", Version: "0.12.0", Model: "meta-llama/Llama-3.1-8B-Instruct-FP8",
			MaxModelLen: swap.Of(32768), UsageInStream: true, MetricsPage: "/metrics",
		},
	}
}

func provenance(took time.Duration) swap.Provenance {
	return swap.Provenance{
		WorkflowID: "swap-chat-prod", RunID: "0196c3a2-7f0c-7e7a-9a51-2f6c0d1b8e44", Started: start, Ended: start.Add(took),
		SpecSHA256: hash, Seed: 20260512, Version: "v0.4.0", RequestedBy: "pipeline #4182", EvidenceSHA256: hash,
		Labels: map[string]string{"commit": "8c1f2ab", "ticket": "ML-731"},
	}
}

func artifacts() swap.Artifacts {
	return swap.Artifacts{
		Verdict: ref("runs/7f0c/verdict.json", "verdict/v1", 0), Report: ref("runs/7f0c/report.html", "html", 0),
		ReportURL:   "https://reports.example.com/runs/7f0c/report.html",
		TemporalURL: "https://temporal.example.com/namespaces/default/workflows/swap-chat-prod",
	}
}

func ref(key, schema string, rows int64) *swap.ObjectRef {
	return &swap.ObjectRef{URI: "s3://swapgate/" + key, SHA256: hash, Bytes: 48211, Rows: rows, Schema: schema}
}

func warmUp() *swap.PerArm[swap.WarmUpResult] {
	one := func(arm swap.Arm, cold, hot float64) swap.WarmUpResult {
		return swap.WarmUpResult{
			Arm: arm, Requests: 64, Outcomes: swap.OutcomeCounts{swap.OK: 64}, ColdTTFTms: swap.Of(cold), HotTTFTms: swap.Of(hot),
			Stable: true, Ended: "latency settled", TookMS: 48_200,
		}
	}
	return &swap.PerArm[swap.WarmUpResult]{Baseline: one(swap.Baseline, 1840, 121), Candidate: one(swap.Candidate, 2210, 126)}
}

// gates builds five gates whose intervals lie around the scenario's ratios.
func gates(s scenario) []swap.GateResult {
	width := 0.026
	if s.wide {
		width = 0.11
	}
	share := float64(s.failed) / (perBlock * blocksPerStep * 2)
	errors := newGate(
		swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: 0.005, Unit: swap.Absolute, Better: swap.LowerIsBetter},
		"fraction", 0, share, share, 0.0018,
	)
	return []swap.GateResult{
		relative(swap.MetricTTFT, swap.StatP99, 0.10, swap.LowerIsBetter, "ms", 486, s.ttft, width),
		relative(swap.MetricTPOT, swap.StatP50, 0.05, swap.LowerIsBetter, "ms", 21.4, s.tpot, width*0.4),
		relative(swap.MetricThroughput, swap.StatRate, 0.05, swap.HigherIsBetter, "tok/s", 612, s.throughput, width*0.5),
		errors,
		relative(swap.MetricOutputTokens, swap.StatMean, 0.05, swap.Either, "tokens", 141, s.length, width*0.6),
	}
}

func relative(
	m swap.Metric, stat swap.Stat, margin float64, better swap.Direction, unit string, baseline, ratio, width float64,
) swap.GateResult {
	g := swap.Gate{Metric: m, Stat: stat, Margin: margin, Unit: swap.Relative, Better: better}
	return newGate(g, unit, baseline, baseline*ratio, ratio-1, width)
}

func newGate(g swap.Gate, unit string, baseline, candidate, change, width float64) swap.GateResult {
	n := perBlock * blocksPerStep * len(concurrencies) / 2
	r := swap.GateResult{
		Gate: g, Name: g.Name(), Baseline: swap.Of(baseline), Candidate: swap.Of(candidate), Unit: unit,
		Change: swap.Of(change), Low: swap.Of(change - width), High: swap.Of(change + width), Level: 0.95,
		N: swap.PerArm[int]{Baseline: n, Candidate: n}, Blocks: blocksPerStep * len(concurrencies) / 2, DesignEffect: swap.Of(1.7),
	}
	decide(&r, change-width, change+width)
	return r
}

// decide judges the way the gates do, so that a sample never contradicts itself.
func decide(r *swap.GateResult, low, high float64) {
	margin := r.Gate.Margin
	worstLow, worstHigh := low, high
	if r.Gate.Better == swap.HigherIsBetter {
		worstLow, worstHigh = -high, -low
	}
	inside := worstHigh < margin && (r.Gate.Better != swap.Either || low > -margin)
	switch {
	case inside:
		r.Decision, r.Regressed = swap.Pass, worstLow > 0
	case worstLow > margin:
		r.Decision, r.Reason.Code = swap.Fail, swap.ReasonGateFailed
	default:
		r.Decision, r.Reason.Code, r.NeedBlocks = swap.Inconclusive, swap.ReasonNotDecided, 46
	}
	r.Reason.Subject = r.Name
	if r.Regressed {
		r.Reason.Code = swap.ReasonRegressionInside
	}
}

// windowPlan is one window of a sample rollout.
type windowPlan struct {
	weight, next int
	action       swap.Action
	failed       int
	guard        *swap.Reason
}

func rollout(plans []windowPlan) *swap.RolloutResult {
	r := &swap.RolloutResult{}
	at := stepStart(len(concurrencies)).Add(time.Minute)
	for i, p := range plans {
		const n = 952
		candidate := n*p.weight/100 + 2*(i%2)
		w := swap.Window{
			Index: i + 1, Weights: swap.Weights{Baseline: 100 - p.weight, Candidate: p.weight}, Started: at, Ended: at.Add(2 * time.Minute),
			Arms: swap.PerArm[swap.WindowStats]{Baseline: stats(n-candidate, p.failed/18, 241), Candidate: stats(candidate, p.failed, 248)},
			Raw:  *ref(fmt.Sprintf("runs/7f0c/window-%d.parquet", i+1), "requests/v1", n), GuardFired: p.guard,
			Decision: swap.WindowDecision{Action: p.action, Weight: p.next},
			Step: &swap.WindowStep{
				Requests: swap.PerArm[int]{Baseline: n - candidate, Candidate: candidate}, Needed: candidate, Sees: swap.Of(2.4 / float64(1+i)),
			},
			Closest: &swap.GuardReading{Gate: "ttft_p95", P: swap.Of(.9), Slices: 4 * (i + 1)},
			Decay: &swap.DecayReading{
				Rule: swap.DecayACI, Coefficient: .05, Value: swap.Of(1.029), Note: fmt.Sprintf("%d of 19 windows to compare with", i),
			},
		}
		w.ReadBack = w.Weights
		if p.guard != nil {
			w.Ended = at.Add(50 * time.Second)
			w.ReadBack = swap.AllBaseline
			w.Brake = &swap.Restored{Weights: &swap.Weights{Baseline: 100}, Changed: true, At: w.Ended, TookMS: 38}
		}
		r.Windows, r.Final = append(r.Windows, w), w.ReadBack
		at = w.Ended.Add(5 * time.Second)
	}
	return r
}

func stats(n, failed int, ttft float64) swap.WindowStats {
	s := swap.WindowStats{Requests: n, Outcomes: swap.OutcomeCounts{swap.OK: n - failed}}
	if failed > 0 {
		s.Outcomes[swap.HTTP5xx] = failed
	}
	if n > 0 {
		s.TTFTP50ms, s.TTFTP95ms, s.TPOTP50ms = swap.Of(ttft/2), swap.Of(ttft), swap.Of(21)
	}
	return s
}
