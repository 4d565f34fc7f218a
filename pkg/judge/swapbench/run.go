package swapbench

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Options of a benchmark.
type Options struct {
	// Repetitions of a scenario with noise; one without has at most deterministicReps.
	Repetitions int
	Seed        uint64
	// Resamples of our judge's bootstrap.
	Resamples int
	// Only are the scenarios to run; nil is all.
	Only *regexp.Regexp
	// OursOnly leaves the other rules out.
	OursOnly bool
}

const deterministicReps = 20

// Table is the outcome of a benchmark.
type Table struct {
	Seed      uint64  `json:"seed"`
	Resamples int     `json:"resamples"`
	Rows      []Row   `json:"rows"`
	Checks    []Check `json:"checks"`
}

// Row is what one contestant did in one scenario.
type Row struct {
	Scenario     string  `json:"scenario"`
	Group        string  `json:"group"`
	Truth        string  `json:"truth"`
	Effect       float64 `json:"effect"`
	Line         Line    `json:"line,omitempty"`
	Contestant   string  `json:"contestant"`
	Repetitions  int     `json:"repetitions"`
	Pass         int     `json:"pass"`
	Fail         int     `json:"fail"`
	Inconclusive int     `json:"inconclusive"`
	// Right counts verdicts that the label accepts, ReasonHeld those of them with the required reason.
	Right      int `json:"right"`
	ReasonHeld int `json:"reason_held"`
	// NeedBlocks is the sum of the blocks asked for, and Asked how often some were.
	NeedBlocks int `json:"need_blocks"`
	Asked      int `json:"asked"`
}

// wilsonZ is for a two-sided interval of 95 %.
const wilsonZ = 1.959964

// interval of a share of the repetitions.
func (r *Row) interval(count int) (low, high float64) {
	return stats.Proportion{Successes: float64(count), Trials: float64(r.Repetitions)}.Wilson(wilsonZ)
}

func (r *Row) add(s *Scenario, a Answer) {
	r.Repetitions++
	switch a.Decision {
	case swap.Pass:
		r.Pass++
	case swap.Fail:
		r.Fail++
	default:
		r.Inconclusive++
	}
	if s.accepts(a.Decision) {
		r.Right++
		if s.Reason == "" || slices.Contains(a.Codes, s.Reason) {
			r.ReasonHeld++
		}
	}
	if a.NeedBlocks > 0 {
		r.NeedBlocks += a.NeedBlocks
		r.Asked++
	}
}

// Run runs the scenarios. Each repetition has a seed of its own, so the table does not depend on the number of CPUs.
func Run(ctx context.Context, o Options) (Table, error) {
	table := Table{Seed: o.Seed, Resamples: o.Resamples}
	contestants := Contestants()
	if o.OursOnly {
		contestants = contestants[:1]
	}
	for _, s := range Scenarios() {
		if o.Only != nil && !o.Only.MatchString(s.Name) {
			continue
		}
		answers, err := repeat(ctx, &s, contestants, o)
		if err != nil {
			return Table{}, err
		}
		for k, c := range contestants {
			row := Row{Scenario: s.Name, Group: s.Group, Truth: s.Truth, Effect: s.Effect, Line: s.Line, Contestant: c.Name}
			for _, a := range answers {
				row.add(&s, a[k])
			}
			table.Rows = append(table.Rows, row)
		}
	}
	table.Checks = check(table.Rows)
	return table, nil
}

// repeat returns the answers of every repetition, one for each contestant.
func repeat(ctx context.Context, s *Scenario, contestants []Contestant, o Options) ([][]Answer, error) {
	n := o.Repetitions
	if s.Deterministic() {
		n = min(n, deterministicReps)
	}
	answers := make([][]Answer, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < n && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				e := s.Evidence(rand.New(rand.NewPCG(o.Seed^hash(s.Name), uint64(k))), o.Resamples)
				for _, c := range contestants {
					answers[k] = append(answers[k], c.Decide(e))
				}
			}
		})
	}
	workers.Wait()
	return answers, ctx.Err()
}

func hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}
