package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/baseline/drift"
	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// CompareDrift compares the load of a watch, which drove one server as both arms, with the registered baseline of its model.
func (a *Activities) CompareDrift(ctx context.Context, in swap.CompareDriftInput) (swap.Drift, error) {
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.Drift{}, err
	}
	defer store.Close()
	e, err := readEvidence(ctx, store, in.Manifests)
	if err != nil {
		return swap.Drift{}, err
	}
	work, err := registry.WorkHash(in.Spec)
	if err != nil {
		return swap.Drift{}, err
	}
	w := watch{store: store, in: in, runID: runKey(ctx, in.Spec.Target).RunID, gates: watched(in.Spec.Gates), now: newWatchMeter(e.manifests)}
	w.found = swap.Drift{Metrics: []swap.DriftMetric{}, EvidenceSHA256: e.sha256, WorkSHA256: work}
	if err := e.eachRecord(ctx, store, w.now.add, swap.Arms[:]...); err != nil {
		return swap.Drift{}, err
	}
	w.believe(judge.Decide(e.forJudge(in.Spec, w.now.judged.Blocks(), in.Telemetry)))
	if err := w.compare(ctx); err != nil {
		return swap.Drift{}, err
	}
	w.respond()
	return w.found, nil
}

// watched are the gates that hold the model to its baseline; limits are held by validations, and a stored baseline has no scores of
// answers.
func watched(gates []swap.Gate) []swap.Gate {
	return slices.DeleteFunc(slices.Clone(gates), func(g swap.Gate) bool { return g.HasLimit() || g.Metric == swap.MetricQuality })
}

// watch is one comparison.
type watch struct {
	store *runstore.Store
	in    swap.CompareDriftInput
	runID string
	gates []swap.Gate
	now   *watchMeter
	found swap.Drift
}

func (w *watch) rules() drift.Rules {
	return drift.Rules{Watch: w.in.Spec.Watch, Judge: w.in.Spec.Judge}
}

func (w *watch) reason(code, subject, message string) {
	w.found.Reasons = append(w.found.Reasons, swap.Reason{Code: code, Subject: subject, Message: message})
}

func (w *watch) find(severity swap.Severity, subject, message, next string) {
	w.found.Findings = append(w.found.Findings, swap.Finding{Severity: severity, Subject: subject, Message: message, Next: next})
}

// ofHalves names in what is said of a judgement the arms as what they are in a watch: two halves of one server.
var ofHalves = strings.NewReplacer(
	"answers of the candidate", "answers of the serving model", "answers of the baseline", "answers of the serving model",
	"the candidate's answers", "the serving model's answers", "the baseline's answers", "the serving model's answers",
	"the candidate", "the second half", "the baseline", "the first half",
)

// believe takes from the judgement of both halves, which are the same server, what speaks against the measurement: faults of the
// evidence, and a difference that cannot be one. That gates are not decided is not one of them.
func (w *watch) believe(c swap.Comparison) {
	ofGate := map[string]bool{string(swap.Candidate): true}
	for _, g := range c.Gates {
		ofGate[g.Name] = true
		if g.Decision == swap.Fail && !g.Gate.HasLimit() {
			w.reason(swap.ReasonRepeatDisagrees, g.Name, "The two halves of the watch, on the same server, differ: "+
				ofHalves.Replace(g.Reason.Message)+
				". Something else disturbed the server or the load.")
		}
	}
	for _, r := range c.Reasons {
		if !ofGate[r.Subject] {
			r.Message = ofHalves.Replace(r.Message)
			w.found.Reasons = append(w.found.Reasons, r)
		}
	}
	for _, f := range c.Findings {
		if f.Subject != string(swap.Candidate) { // the second half differs from the first by chance
			f.Message, f.Next = ofHalves.Replace(f.Message), ofHalves.Replace(f.Next)
			w.found.Findings = append(w.found.Findings, f)
		}
	}
}

// compare reads the baseline and the history, and compares every gate's statistic and every latency's distribution.
func (w *watch) compare(ctx context.Context) error {
	entries, err := w.entries(ctx)
	if err != nil {
		return err
	}
	then := w.baseline(entries)
	history, err := w.history(ctx, entries)
	if err != nil {
		return err
	}
	levels := w.now.levels()
	for _, g := range w.gates {
		runs := history.of(g)
		noise := drift.NoiseOf(runs, g.Unit != swap.Absolute)
		if then != nil {
			w.found.Metrics = append(w.found.Metrics, w.rules().Metric(g, then.Levels, levels, noise))
		}
		if err := w.changes(g, runs, levels); err != nil {
			return err
		}
		if !noise.Known() {
			w.find(swap.Harmless, g.Name(), fmt.Sprintf("The spread between runs is not known yet (%d of 3 runs), so bounds rest on blocks alone.",
				noise.Runs), "")
		}
	}
	if then == nil {
		return nil
	}
	return w.distances(ctx, *then)
}

// respond is the most severe response, where the measurement is believed.
func (w *watch) respond() {
	var all []swap.DriftResponse
	for _, m := range w.found.Metrics {
		all = append(all, m.Response)
	}
	for _, d := range w.found.Distances {
		if d.Drifted && d.Larger {
			all = append(all, swap.DriftNotify)
		}
	}
	w.found.Response = drift.Worst(all...)
	if len(w.found.Reasons) > 0 {
		w.found.Response = swap.DriftInconclusive
	}
	w.explain()
}

// explain adds what decided, the most severe first.
func (w *watch) explain() {
	for _, m := range w.rules().WorstFirst(w.found.Metrics) {
		switch {
		case m.Response == swap.DriftInconclusive:
			w.reason(swap.ReasonNotDecided, m.Name, m.Message+".")
		case m.Response != swap.DriftSilent:
			w.reason(swap.ReasonDrifted, m.Name, m.Message+".")
		}
	}
	for _, d := range w.found.Distances {
		switch {
		case d.Drifted && d.Larger:
			w.reason(swap.ReasonDistribution, string(d.Metric), d.Message+".")
		case d.Drifted:
			w.find(swap.Notable, string(d.Metric), d.Message+".", "The model became faster; a new validation registers that.")
		}
	}
}

// distances compares the requests themselves, as long as the baseline's are still in the store.
func (w *watch) distances(ctx context.Context, then registry.Registered) error {
	metrics := latenciesOf(w.gates)
	old, err := w.requestsOf(ctx, then.Source, metrics)
	if errors.Is(err, runstore.ErrNotFound) {
		w.find(swap.Harmless, "distributions", "The raw requests of the baseline are no longer in the store, so distributions are not compared.",
			"Keep the raw data of the run for longer.")
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range metrics {
		if d, ok := w.rules().Distance(m, old.blocks(m), w.now.values.blocks(m)); ok {
			w.found.Distances = append(w.found.Distances, d)
		}
	}
	return nil
}

func (w *watch) requestsOf(ctx context.Context, from registry.Source, metrics []swap.Metric) (*requestValues, error) {
	values := newRequestValues(metrics)
	e, err := readEvidence(ctx, w.store, from.Manifests)
	if err != nil {
		return nil, err
	}
	return values, e.eachRecord(ctx, w.store, values.add, from.Arm)
}

// latenciesOf are the latencies of the gates, each once.
func latenciesOf(gates []swap.Gate) []swap.Metric {
	var metrics []swap.Metric
	for _, g := range gates {
		switch g.Metric {
		case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E:
			if !slices.Contains(metrics, g.Metric) {
				metrics = append(metrics, g.Metric)
			}
		case swap.MetricOutputTokens, swap.MetricThroughput, swap.MetricErrorRate, swap.MetricQuality:
		}
	}
	return metrics
}

// watchMeter computes the numbers of both halves of a watch, as its records are read.
type watchMeter struct {
	judged *judge.Collector
	halves swap.PerArm[*registry.Meter]
	values *requestValues
	// started is when the first block began.
	started time.Time
}

func newWatchMeter(manifests []swap.StepManifest) *watchMeter {
	m := &watchMeter{judged: judge.NewCollector(manifests), values: newRequestValues(allLatencies[:])}
	for _, arm := range swap.Arms {
		*m.halves.Ptr(arm) = registry.NewMeter(manifests, arm)
	}
	for _, manifest := range manifests {
		for _, b := range manifest.Blocks {
			if m.started.IsZero() || b.Started.Before(m.started) {
				m.started = b.Started
			}
		}
	}
	return m
}

func (m *watchMeter) add(records []rawlog.Record) {
	m.judged.Add(records)
	m.halves.Baseline.Add(records)
	m.halves.Candidate.Add(records)
	m.values.add(records)
}

// levels are the numbers of the blocks of both halves.
func (m *watchMeter) levels() []registry.Level {
	return drift.Merge(m.halves.Baseline.Levels(), m.halves.Candidate.Levels())
}
