// Package own reads runs that swapgate itself recorded: the raw data of load steps, in folders as the run store lays them out, or
// in the store. Files that were copied around are not trusted: what a manifest names must have its hash, and a table without a
// manifest is read within bounds and only in codecs that are safe on any bytes.
package own

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Tool names the format.
const Tool = "swapgate"

// mostRows bounds the requests of a recording: about 70 bytes of memory for each.
const mostRows = 20_000_000

// Recording is the load stage of one run.
type Recording struct {
	Name string
	// Manifests of the steps, in their order; none where there are only tables.
	Manifests []swap.StepManifest
	// Blocks in the order of time.
	Blocks []judge.Block
	SHA256 string
	// told explains the difference of the arms; nil where there is no manifest.
	told *explained
}

// stage is an empty stage of a step, with what the manifest says of it.
func (r *Recording) stage(step int) recorded.Stage {
	s := recorded.Stage{Level: recorded.Level{Name: fmt.Sprintf("step %d", step)}, Outcomes: swap.OutcomeCounts{}}
	for i := range r.Manifests {
		if m := &r.Manifests[i]; m.Step == step {
			s.Level, s.Instrument = recorded.Level{Name: m.Spec.Label()}, m.Instrument
			if len(m.Blocks) > 0 {
				s.Started = m.Blocks[0].Started
			}
		}
	}
	return s
}

// Arms are those that have blocks.
func (r *Recording) Arms() []swap.Arm {
	var arms []swap.Arm
	for _, arm := range swap.Arms {
		if slices.ContainsFunc(r.Blocks, func(b judge.Block) bool { return b.Arm == arm }) {
			arms = append(arms, arm)
		}
	}
	return arms
}

// Run is one arm of the recording, as a run of its own.
func (r *Recording) Run(arm swap.Arm) recorded.Run {
	run := recorded.Run{Name: r.Name, Tool: Tool, Profile: "canonical", SHA256: r.SHA256 + string(arm), Jitter: r.jitterOf(arm)}
	at := map[int]int{}
	for i := range r.Blocks {
		b := r.Blocks[i]
		if b.Arm != arm {
			continue
		}
		k, known := at[b.Step]
		if !known {
			k = len(run.Stages)
			at[b.Step] = k
			run.Stages = append(run.Stages, r.stage(b.Step))
		}
		s := &run.Stages[k]
		s.Blocks = append(s.Blocks, b)
		s.Seconds = swap.Of(s.Seconds.Or(0) + b.MeasuredSeconds)
		for q := range b.Requests.Len() {
			s.Outcomes[b.Requests.Outcome(q)]++
		}
	}
	if len(r.Manifests) == 0 {
		run.Notes = append(run.Notes, "there is no manifest.json, so the load levels are known by number only and nothing says whether "+
			"all blocks are there")
	}
	return run
}

// Swap takes the candidate for the baseline, and the other way round. A step that a limit ended fails no arm then: that the other one
// kept the limit is known of the baseline alone.
func (r *Recording) Swap() {
	for i := range r.Blocks {
		r.Blocks[i].Arm = r.Blocks[i].Arm.Other()
	}
	for i := range r.Manifests {
		r.Manifests[i].Ended.Arm = swap.Baseline
	}
	if r.told != nil {
		r.told.swap()
	}
}

// SameRecording reports whether two runs are arms of one recording of ours.
func SameRecording(a, b recorded.Run) bool {
	whole := func(r recorded.Run) string {
		for _, arm := range swap.Arms {
			r.SHA256 = strings.TrimSuffix(r.SHA256, string(arm))
		}
		return r.SHA256
	}
	return a.Tool == Tool && b.Tool == Tool && whole(a) == whole(b)
}

// Evidence is the whole recording with its own pairs of blocks, as a live run is judged.
func (r *Recording) Evidence(gates []swap.Gate, settings swap.Judge) judge.Evidence {
	e := judge.Evidence{
		Blocks: r.Blocks, Gates: gates, Settings: settings, EvidenceSHA256: r.SHA256,
		Ends: judge.EndsFrom(r.Manifests), Instruments: judge.InstrumentsFrom(r.Manifests),
	}
	var n swap.PerArm[int]
	for i := range r.Blocks {
		*n.Ptr(r.Blocks[i].Arm)++
	}
	most := max(n.Baseline, n.Candidate)
	e.Planned = swap.PerArm[int]{Baseline: most, Candidate: most}
	for i := range r.Manifests {
		e.Discarded += len(r.Manifests[i].Discarded)
	}
	return e
}

// hashOf is the hash of hashes.
func hashOf(hashes []string) string {
	sum := sha256.New()
	for _, h := range hashes {
		_, _ = sum.Write([]byte(h))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func sortBlocks(blocks []judge.Block) {
	slices.SortStableFunc(blocks, func(a, b judge.Block) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Block, b.Block))
	})
}
