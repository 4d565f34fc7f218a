package reporttest

import (
	"fmt"
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
)

// scenario is how the candidate differs from the baseline, as ratios.
type scenario struct {
	ttft, tpot, throughput, length float64
	// failed counts the candidate's failed requests at the last step.
	failed int
	// wide makes intervals too wide to decide.
	wide bool
}

// The load of every sample: the concurrencies, and blocks of half a minute, twelve per step.
var concurrencies = [...]int{4, 8, 16, 32}

const (
	blocksPerStep = 12
	blockLength   = 30 * time.Second
	perBlock      = 60
)

// loaded is a run that came through the load stage.
func loaded(s scenario) report.Data {
	d := report.Data{Verdict: swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion, Target: "chat-prod", Arms: arms(), Gates: gates(s),
		WarmUp: warmUp(), Provenance: provenance(41*time.Minute + 12*time.Second), Artifacts: artifacts(),
		Snapshot: ref("snapshots/chat-prod/20260512T080322Z.json", "snapshot/v1", 0),
		Baseline: ref("runs/7f0c/baseline.json", "baseline/v1", 0),
		Findings: []swap.Finding{
			{Severity: swap.Harmless, Subject: "baseline", Message: "The server sends no system_fingerprint."},
			{
				Severity: swap.Notable, Subject: "prompt cache", Message: "Prompts are salted, so prefix caches cannot help either arm.",
				Next: "Set workload.prompt_cache to shared to measure with warm caches.",
			},
		},
	}}
	d.Verdict.Telemetry = []swap.TelemetryResult{{
		Samples: []swap.ObjectRef{*ref("runs/7f0c/telemetry.parquet", "telemetry/v1", 5760)},
		Sources: []swap.SourceState{
			{Source: "engine", Arm: swap.Baseline, Samples: 2880, Required: true},
			{Source: "dcgm", Samples: 2880, Errors: 2, LastError: "time limit of 1s reached"},
		},
	}}
	d.Latency = latencies(s)
	for i, c := range concurrencies {
		addStep(&d, s, i, c)
	}
	d.Telemetry = telemetry(s)
	d.Verdict.Capacity = kneeAt(d, 2, 3)
	return d
}

func latencies(s scenario) []report.Distribution {
	both := func(m swap.Metric, median, sigma, ratio float64) report.Distribution {
		return report.Distribution{Metric: m, Arms: swap.PerArm[report.Samples]{
			Baseline:  report.Samples{SortedMS: logNormal(600, median, sigma)},
			Candidate: report.Samples{SortedMS: logNormal(600-s.failed, median*ratio, sigma*1.04), Failed: s.failed},
		}}
	}
	return []report.Distribution{
		both(swap.MetricTTFT, 182, 0.42, s.ttft), both(swap.MetricTPOT, 21.4, 0.16, s.tpot),
		both(swap.MetricE2E, 3050, 0.38, (s.ttft+3*s.tpot)/4),
	}
}

func addStep(d *report.Data, s scenario, i, concurrency int) {
	label := swap.Step{Concurrency: concurrency}.Label()
	from := stepStart(i)
	last := i == len(concurrencies)-1
	load := math.Pow(float64(concurrency)/4, 0.55)
	n := perBlock * blocksPerStep / 2
	step := report.Step{Label: label, Limits: instrumentLimits(), Arms: swap.PerArm[report.StepPoint]{
		Baseline: point(n, 0, 120*load, 17*math.Sqrt(load), 175*math.Pow(float64(concurrency)/4, 0.8)),
	}}
	failed := 0
	if last {
		failed = s.failed
	}
	step.Arms.Candidate = point(n, failed, 120*load*s.ttft, 17*math.Sqrt(load)*s.tpot, 175*math.Pow(float64(concurrency)/4, 0.8)*s.throughput)
	d.Steps = append(d.Steps, step)
	d.Spans = append(d.Spans, report.Span{Label: label, From: from, To: from.Add(blocksPerStep * blockLength)})
	for b := range blocksPerStep {
		arm := armAt(b)
		v := step.Arms.Get(arm).TTFTP95ms.Or(0) * (1 + 0.06*math.Sin(float64(7*b+3*i)))
		d.Blocks = append(d.Blocks, report.Block{Arm: arm, Started: from.Add(time.Duration(b) * blockLength), TTFTP95ms: swap.Of(v)})
	}
	outcomes := swap.OutcomeCounts{swap.OK: n - failed}
	if failed > 0 {
		outcomes[swap.HTTP5xx], outcomes[swap.TimeoutFirst] = failed*3/4, failed-failed*3/4
	}
	d.Verdict.Steps = append(d.Verdict.Steps, swap.StepResult{
		Step: i + 1, Label: label, Blocks: blocksPerStep, Planned: swap.PerArm[int]{Baseline: n, Candidate: n},
		Outcomes:   swap.PerArm[swap.OutcomeCounts]{Baseline: swap.OutcomeCounts{swap.OK: n}, Candidate: outcomes},
		TTFTP50ms:  swap.PerArm[swap.Value]{Baseline: step.Arms.Baseline.TTFTP50ms, Candidate: step.Arms.Candidate.TTFTP50ms},
		TTFTP95ms:  swap.PerArm[swap.Value]{Baseline: step.Arms.Baseline.TTFTP95ms, Candidate: step.Arms.Candidate.TTFTP95ms},
		Throughput: swap.PerArm[swap.Value]{Baseline: step.Arms.Baseline.Throughput, Candidate: step.Arms.Candidate.Throughput},
		Ended:      swap.StepEnd{Code: swap.EndedPlanned},
		Instrument: goodInstrument(i),
		Manifest:   *ref(fmt.Sprintf("runs/7f0c/step-%d/manifest.json", i+1), "manifest/v1", 0),
	})
}

func point(n, failed int, ttft, tpot, throughput float64) report.StepPoint {
	return report.StepPoint{
		Requests: n, Failed: failed, TTFTP50ms: swap.Of(ttft), TTFTP95ms: swap.Of(ttft * 2), TTFTP99ms: swap.Of(ttft * 2.7),
		TPOTP50ms: swap.Of(tpot), Throughput: swap.Of(throughput), ErrorShare: swap.Of(float64(failed) / float64(n)),
		Unsteady: swap.Of(15),
	}
}

func stepStart(i int) time.Time {
	return start.Add(3*time.Minute + time.Duration(i)*(blocksPerStep*blockLength+20*time.Second))
}

// logNormal returns n values at evenly spaced quantiles of a log-normal, in ascending order.
func logNormal(n int, median, sigma float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		p := (float64(i) + 0.5) / float64(n)
		values[i] = median * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*p-1))
	}
	return values
}

// armAt is the arm whose block runs in block b of a step: ABBA.
func armAt(b int) swap.Arm { return swap.Arms[(b+b/2)%2] }

func telemetry(s scenario) []report.TimeSeries {
	wave := func(name string, arm swap.Arm, level, swing, growth float64) report.TimeSeries {
		series := report.TimeSeries{Name: name, Arm: arm}
		for i := range concurrencies {
			for k := range blocksPerStep * 3 {
				share := level * 0.1
				if armAt(k/3) == arm {
					share = level + growth*float64(i)/3 + swing*math.Sin(float64(5*k+i))
				}
				series.Points = append(series.Points, report.TimePoint{
					At: stepStart(i).Add(time.Duration(k) * blockLength / 3), Value: share,
				})
			}
		}
		return series
	}
	return []report.TimeSeries{
		wave("gpu_utilization_percent", swap.Baseline, 62, 3, 30), wave("gpu_utilization_percent", swap.Candidate, 64, 3, 31),
		wave("kv_cache_usage_share", swap.Baseline, .22, .02, .5), wave("kv_cache_usage_share", swap.Candidate, .25, .02, .5*s.ttft),
		wave("requests_waiting", swap.Baseline, .4, .3, 2), wave("requests_waiting", swap.Candidate, .4, .3, 5*(s.ttft-.7)),
		wave("gpu_power_w", swap.Baseline, 310, 12, 260), wave("gpu_power_w", swap.Candidate, 300, 12, 250),
	}
}
