// Package inputs reads the files that a specification names, prompts and recordings, before any load is driven: so that what is
// wrong with them, and how long their requests are, is known beforehand.
package inputs

import (
	"errors"
	"io/fs"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
	"github.com/swapgate/swapgate/pkg/workload/trace"
)

// Files are the prompt file and the recordings of a specification as they are on this machine.
type Files struct {
	// Missing are the files that are not here. Load workers have copies of their own.
	Missing []string
	// Faults are the files that cannot be used, each with all that is wrong with it.
	Faults []*badfile.Error

	// prompts is zero without a prompt file that can be used.
	prompts    workload.PromptFile
	recordings map[source]*trace.Recording
}

// source is a recording and how it is read.
type source struct {
	path   string
	format swap.TraceFormat
}

func sourceOf(t swap.Trace) source { return source{t.File, t.Format} }

// Read reads each file of a specification once.
func Read(spec swap.Spec) Files {
	f := Files{recordings: map[source]*trace.Recording{}}
	if path := spec.Workload.PromptFile; path != "" {
		prompts, err := workload.ReadPromptFile(path)
		f.note(path, err)
		f.prompts = prompts
		f.checkScored(spec)
	}
	for _, step := range spec.Load.Steps {
		if step.Arrival == nil || step.Arrival.Trace == nil {
			continue
		}
		src := sourceOf(*step.Arrival.Trace)
		if _, again := f.recordings[src]; again {
			continue
		}
		recording, err := trace.Read(src.path, src.format)
		f.note(src.path, err)
		f.recordings[src] = recording
	}
	return f
}

// checkScored adds a fault where a gate asks for the quality of answers, and no prompt says what a good one is.
func (f *Files) checkScored(spec swap.Spec) {
	if f.prompts.Prompts == 0 || f.prompts.Expecting > 0 {
		return
	}
	for _, g := range spec.Gates {
		if g.Metric == swap.MetricQuality {
			wrong := &badfile.Error{Path: spec.Workload.PromptFile}
			wrong.Add(1, "expect", `no prompt of the file says what a good answer is, and the gate %s needs that: write "expect": `+
				`{"contains": "…"} beside prompts, or delete the gate`, g.Name())
			f.Faults = append(f.Faults, wrong)
		}
	}
}

// note sorts an error of reading a file.
func (f *Files) note(path string, err error) {
	var wrong *badfile.Error
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		f.Missing = append(f.Missing, path)
	case errors.As(err, &wrong):
		f.Faults = append(f.Faults, wrong)
	default:
		wrong = &badfile.Error{Path: path}
		wrong.Add(0, "", "cannot be read: %v", err)
		f.Faults = append(f.Faults, wrong)
	}
}

// Recording is what a step repeats; nil if it repeats nothing or its recording cannot be used here.
func (f Files) Recording(step swap.Step) *trace.Recording {
	if step.Arrival == nil || step.Arrival.Trace == nil {
		return nil
	}
	return f.recordings[sourceOf(*step.Arrival.Trace)]
}

// Longest is the most tokens that a request needs, prompt and answer together.
type Longest struct {
	Tokens int
	// Estimated says that the prompts come from a file, whose tokens only the engine can count.
	Estimated bool
}

// Longest is the longest request of a step, by its own lengths, its recording, or the prompt file (see
// workload.LongestRequest). What a file that cannot be used here would say counts as nothing.
func (f Files) Longest(w swap.Workload, step swap.Step) Longest {
	if a := step.Arrival; a != nil && a.Trace != nil && a.Trace.Lengths && w.API.Unit() == swap.UnitTokens {
		if r := f.Recording(step); r != nil {
			return Longest{Tokens: r.LongestRequest(w.Topology)}
		}
		return Longest{}
	}
	if n := f.prompts.LongestTokens; n > 0 {
		w.InputTokens = swap.Lengths{Median: n}
	}
	return Longest{Tokens: workload.LongestRequest(w, step), Estimated: f.prompts.LongestTokens > 0}
}
