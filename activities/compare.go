package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/swapgate/swapgate/pkg/baseline"
	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/judge/attribution"
	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/judge/jitter"
	"github.com/swapgate/swapgate/pkg/load/capacity"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/load/reaction"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// baselineSchema names the layout of a stored baseline.
const baselineSchema = "baseline/v1"

// evidence is what the manifests of the load stage say counts.
type evidence struct {
	manifests []swap.StepManifest
	sha256    string
}

// readEvidence reads the manifests.
func readEvidence(ctx context.Context, store *runstore.Store, refs []swap.ObjectRef) (evidence, error) {
	var e evidence
	sum := sha256.New()
	for _, ref := range refs {
		manifest, err := runstore.ReadManifest(ctx, store, ref)
		if err != nil {
			return evidence{}, err
		}
		e.manifests = append(e.manifests, manifest)
		_, _ = sum.Write([]byte(ref.SHA256))
	}
	e.sha256 = hex.EncodeToString(sum.Sum(nil))
	return e, nil
}

// blocks are those of all steps.
func (e evidence) blocks() []swap.BlockResult {
	var all []swap.BlockResult
	for _, manifest := range e.manifests {
		all = append(all, manifest.Blocks...)
	}
	return all
}

// eachRecord gives add the records of the arms' blocks, a batch at a time, checked against the manifests.
func (e evidence) eachRecord(ctx context.Context, store *runstore.Store, add func([]rawlog.Record), arms ...swap.Arm) error {
	for _, manifest := range e.manifests {
		for _, block := range manifest.Blocks {
			if !slices.Contains(arms, block.Arm) {
				continue
			}
			err := runstore.EachLeanRecord(ctx, store, block, func(rows []rawlog.Record) error {
				add(rows)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// CompareArms judges the load stage from its raw records.
func (a *Activities) CompareArms(ctx context.Context, in swap.CompareInput) (swap.Comparison, error) {
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.Comparison{}, err
	}
	defer store.Close()
	e, err := readEvidence(ctx, store, in.Manifests)
	if err != nil {
		return swap.Comparison{}, err
	}
	blocks := judge.NewCollector(e.manifests)
	outliers := jitter.NewCollector(e.manifests)
	layers := attribution.NewCollector(e.manifests)
	before := readPast(ctx, store, in.Spec)
	err = runstore.EachJudgedRecord(ctx, store, e.blocks(), func(records []rawlog.Record) error {
		blocks.Add(records)
		outliers.Add(records)
		layers.Add(records)
		before.add(records)
		return nil
	})
	if err != nil {
		return swap.Comparison{}, err
	}
	comparison := judge.Decide(e.forJudge(in.Spec, blocks.Blocks(), in.Telemetry))
	comparison.Capacity = capacity.Of(in.Spec.Load.Steps, in.Steps, capacity.Throughputs(blocks.Blocks())...)
	reaction.Apply(&comparison, in.Spec, in.Steps, blocks.Blocks())
	comparison.Jitter, comparison.Attribution = outliers.Jitter(), layers.Attribution()
	comparison.Findings = append(comparison.Findings, jitter.Findings(comparison.Jitter)...)
	comparison.Opinions = classic.Opinions(in.Spec.Judge.Opinions, blocks.Blocks(), comparison.Capacity)
	return comparison, before.apply(ctx, store, in, e, &comparison)
}

// forJudge is the evidence as the judge takes it.
func (e evidence) forJudge(spec swap.Spec, blocks []judge.Block, telemetry []swap.TelemetryResult) judge.Evidence {
	ev := judge.Evidence{
		Blocks:         blocks,
		Gates:          spec.Gates,
		Settings:       spec.Judge,
		Ends:           judge.EndsFrom(e.manifests),
		Planned:        expected(spec.Load, e.manifests),
		Instruments:    judge.InstrumentsFrom(e.manifests),
		SendLateness:   spec.Load.Calibration.SendLateness,
		EvidenceSHA256: e.sha256,
	}
	for _, m := range e.manifests {
		ev.Discarded += len(m.Discarded)
	}
	for _, t := range telemetry {
		ev.Telemetry = append(ev.Telemetry, t.Sources...)
	}
	return ev
}

// expected is how many blocks of each arm must be there: those planned, or as many as a step was driven for that was prolonged
// or stopped at a limit. After a step that was stopped there are no more.
func expected(l swap.Load, manifests []swap.StepManifest) swap.PerArm[int] {
	driven := map[int]swap.StepManifest{}
	for _, m := range manifests {
		driven[m.Step] = m
	}
	var n swap.PerArm[int]
	for i, step := range l.Steps {
		m := driven[i+1]
		blocks := len(m.Blocks) / 2
		if m.Ended.Code != swap.EndedLimit {
			blocks = max(blocks, l.BlocksPerArm(step))
		}
		n.Baseline, n.Candidate = n.Baseline+blocks, n.Candidate+blocks
		if m.Ended.Code == swap.EndedLimit {
			break
		}
	}
	return n
}

// FitBaseline fits the distribution of the baseline arm and keeps it in the store.
func (a *Activities) FitBaseline(ctx context.Context, in swap.FitBaselineInput) (swap.BaselineFit, error) {
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.BaselineFit{}, err
	}
	defer store.Close()
	e, err := readEvidence(ctx, store, in.Manifests)
	if err != nil {
		return swap.BaselineFit{}, err
	}
	var sample baseline.Sample
	if err := e.eachRecord(ctx, store, sample.Add, swap.Baseline); err != nil {
		return swap.BaselineFit{}, err
	}
	fit := sample.Fit(in.Facts.Model)
	key := runstore.BaselineKey(runKey(ctx, in.Spec.Target), a.Now())
	fit.Ref, err = runstore.PutJSON(ctx, store, key, baselineSchema, fit)
	return fit, err
}
