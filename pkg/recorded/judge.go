package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/judge/jitter"
	"github.com/swapgate/swapgate/pkg/swap"
)

// DefaultNoise is the standard deviation of the difference between two runs of one and the same service, as a share: √2 times the
// 2 % by which one launch of a server differs from the next, rounded up.
const DefaultNoise = .03

// Options say how two runs are judged.
type Options struct {
	// Gates and Settings are complete, with every default filled in.
	Gates    []swap.Gate
	Settings swap.Judge
	// OnlyMeasured leaves out gates on metrics that neither run has. It is for default gates, which nobody asked for by name.
	OnlyMeasured bool
	// Noise is the standard deviation of the difference between two runs of one service, as a share; see DefaultNoise.
	Noise float64
}

// ErrTools refuses runs of two tools.
var ErrTools = errors.New("the runs were recorded by different tools, which mean different things by the same names")

// Judge judges the candidate's run against the baseline's.
func Judge(runs swap.PerArm[Run], o Options) (swap.Verdict, error) {
	if b, c := runs.Baseline.Profile, runs.Candidate.Profile; b != c {
		return swap.Verdict{}, fmt.Errorf("%w: %s is of %s and %s of %s",
			ErrTools, runs.Baseline.Name, runs.Baseline.Tool, runs.Candidate.Name, runs.Candidate.Tool)
	}
	common, left := match(runs.Baseline, runs.Candidate)
	findings := notes(runs)
	levels := pairLevels(runs, common)
	common, asSummaries := measuredOnly(common)
	if asSummaries && levels.unlike {
		common = levels.shown()
		findings = append(findings, levels.finding())
	} else {
		findings = append(findings, leftOut(left)...)
	}
	findings = append(append(findings, zeros(common)...), unlike(common)...)
	gates := o.Gates
	if o.OnlyMeasured {
		var more []swap.Finding
		gates, more = measuredGates(gates, common)
		findings = append(findings, more...)
		gates, more = withRoom(gates, o)
		findings = append(findings, more...)
	}
	var comparison swap.Comparison
	switch {
	case len(common) == 0:
		comparison = noCommonLevel(left)
	case asSummaries:
		comparison = compareSummaries(levels, gates, brokenDown(runs), o)
		findings = append(findings, onlySummaries(o))
	default:
		var more []swap.Finding
		comparison, more = compareBlocks(runs, common, gates, o)
		findings = append(findings, more...)
	}
	comparison.Findings = append(findings, comparison.Findings...)
	comparison.EvidenceSHA256 = evidenceHash(runs)
	return verdictOf(runs, common, comparison, o), nil
}

// evidenceHash is the hash of the hashes of what was read.
func evidenceHash(runs swap.PerArm[Run]) string {
	sum := sha256.Sum256([]byte(runs.Baseline.SHA256 + runs.Candidate.SHA256))
	return hex.EncodeToString(sum[:])
}

// compareBlocks cuts the requests of all common levels into blocks and lets the judge decide.
func compareBlocks(runs swap.PerArm[Run], common []swap.PerArm[*Stage], gates []swap.Gate, o Options) (swap.Comparison, []swap.Finding) {
	e := judge.Evidence{Gates: gates, Settings: o.Settings, RunToRun: math.Log1p(o.Noise), Recorded: true}
	unpaired, cuts := 0, make([]int, len(common))
	for i, stages := range common {
		fewer := min(len(stages.Baseline.Requests), len(stages.Candidate.Requests))
		cuts[i] = blocksIn(stages.Baseline.Level, len(common), fewer, o.Settings.MinBlocks)
		blocks, left := pairStage(i+1, stages, cuts[i])
		unpaired += left
		e.Blocks = append(e.Blocks, blocks...)
		for _, arm := range swap.Arms {
			e.Instruments = append(e.Instruments, judge.Instrument{Step: i + 1, State: stages.Get(arm).Instrument})
		}
	}
	e.Planned = swap.PerArm[int]{Baseline: len(e.Blocks) / 2, Candidate: len(e.Blocks) / 2}
	findings := []swap.Finding{apart(runs, common)}
	if unpaired > 0 {
		findings = append(findings, swap.Finding{
			Severity: swap.Notable, Subject: "load",
			Message: fmt.Sprintf("%d blocks have no counterpart in the other run and were left out", unpaired),
		})
	}
	c := judge.Decide(e)
	c.Jitter = jitterOf(runs, common, cuts)
	c.Findings = append(c.Findings, jitter.Findings(c.Jitter)...)
	return c, findings
}

// apart says how the blocks came about, which is weaker than blocks that were driven in turns. The judge says what the noise
// between runs does.
func apart(runs swap.PerArm[Run], common []swap.PerArm[*Stage]) swap.Finding {
	message := "the runs were not driven in interleaved blocks: theirs are paired by their order, so what changed between the runs is in " +
		"every difference"
	if slices.ContainsFunc(common, func(c swap.PerArm[*Stage]) bool { return c.Baseline.Order == ByFile || c.Candidate.Order == ByFile }) {
		message += fmt.Sprintf("; recorded without blocks: %s has no start times, so blocks are stretches of its file", runs.Baseline.Tool)
	}
	return swap.Finding{
		Severity: swap.Notable, Subject: "runs", Message: message,
		Next: "measure the spread between runs of the baseline and give it, or let swapgate drive both at the same time",
	}
}

// notes are what the files themselves lack.
func notes(runs swap.PerArm[Run]) []swap.Finding {
	var out []swap.Finding
	for _, arm := range swap.Arms {
		for _, n := range runs.Get(arm).Notes {
			out = append(out, swap.Finding{Severity: swap.Notable, Subject: string(arm), Message: n})
		}
	}
	return out
}

// zeros says how many latencies of 0 were taken for missing.
func zeros(common []swap.PerArm[*Stage]) (out []swap.Finding) {
	for _, arm := range swap.Arms {
		n := 0
		for _, c := range common {
			n += c.Get(arm).Zeros
		}
		if n > 0 {
			out = append(out, swap.Finding{
				Severity: swap.Notable, Subject: string(arm),
				Message: fmt.Sprintf("the good answers have %s of 0, which is no measurement, so that it counts as missing",
					plural(n, "latency", "latencies")),
				Next: "find out why the tool recorded them, and record the run again",
			})
		}
	}
	return out
}

// plural is such as "1 request" or "2 requests".
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// promptShare is the difference of mean prompt lengths from which the runs asked for different work.
const promptShare = .05

// unlike notes a level of which nothing is known, and one whose prompts differ between the runs.
func unlike(common []swap.PerArm[*Stage]) []swap.Finding {
	for _, c := range common {
		if c.Baseline.Level.Unknown() {
			return []swap.Finding{{
				Severity: swap.Notable, Subject: "load", Message: "the files do not tell the load; that it was the same is taken for granted",
				Next: "give the tool's summary beside the requests",
			}}
		}
		b, c1 := c.Baseline.PromptTokens, c.Candidate.PromptTokens
		if !b.Valid() || !c1.Valid() || math.Abs(c1.Or(0)-b.Or(0)) <= promptShare*b.Or(0) {
			continue
		}
		return []swap.Finding{{
			Severity: swap.Notable, Subject: "prompts",
			Message: fmt.Sprintf("at %s the prompts have %.4g tokens in the baseline's run and %.4g in the candidate's, on average, so the "+
				"runs did different work", c.Baseline.Level, b.Or(0), c1.Or(0)),
			Next: "record both with the same data set and seed",
		}}
	}
	return nil
}

// measuredGates leaves out gates on what neither run has.
func measuredGates(gates []swap.Gate, common []swap.PerArm[*Stage]) (kept []swap.Gate, findings []swap.Finding) {
	var lacking []string
	for _, g := range gates {
		if len(common) == 0 || slices.ContainsFunc(common, func(c swap.PerArm[*Stage]) bool {
			return c.Baseline.has(g.Metric) || c.Candidate.has(g.Metric)
		}) {
			kept = append(kept, g)
			continue
		}
		lacking = append(lacking, g.Name())
	}
	if len(lacking) > 0 {
		findings = []swap.Finding{{
			Severity: swap.Notable, Subject: "gates",
			Message: "neither run tells of " + strings.Join(lacking, ", ") + ", so these default gates were left out",
		}}
	}
	return kept, findings
}

// withRoom raises relative margins that nobody asked for by name to what noise between runs leaves room in: equal runs pass with a
// chance of about 80 % where the margin is 2.5 standard deviations (1.645 + 0.842), rounded up to whole 5 %. Answer lengths and error rates
// do not change by the launch of a server, and keep theirs.
func withRoom(gates []swap.Gate, o Options) ([]swap.Gate, []swap.Finding) {
	const deviations, step = 2.5, .05
	room := step * math.Ceil(math.Expm1(deviations*math.Log1p(o.Noise))/step)
	raised := slices.Clone(gates)
	var names []string
	for i := range raised {
		if g := &raised[i]; g.Unit == swap.Relative && !g.HasLimit() && g.Metric != swap.MetricOutputTokens && g.Margin < room {
			g.Margin = room
			names = append(names, g.Name())
		}
	}
	if len(names) == 0 {
		return gates, nil
	}
	return raised, []swap.Finding{{
		Severity: swap.Notable, Subject: "gates",
		Message: fmt.Sprintf("the default margins of %s were raised to %.3g %%, as the noise between runs of %.3g %% leaves no room in less",
			strings.Join(names, ", "), 100*room, 100*o.Noise),
		Next: "measure that noise and give it with --baseline-noise, or name gates with their margins",
	}}
}

func noCommonLevel(left swap.PerArm[[]string]) swap.Comparison {
	return swap.Comparison{Decision: swap.Inconclusive, Reasons: []swap.Reason{{
		Code: swap.ReasonPlanMismatch, Subject: "load",
		Message: fmt.Sprintf("no load level is in both runs: the baseline's has %s, the candidate's %s",
			listed(left.Baseline), listed(left.Candidate)),
	}}}
}

func listed(levels []string) string {
	if len(levels) == 0 {
		return "none"
	}
	return strings.Join(levels, "; ")
}
