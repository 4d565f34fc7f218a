package swapbench

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mathext"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Options of a benchmark.
type Options struct {
	// Repetitions of a scenario by our judge; one of a data-quality fault, whose verdict hardly depends on the noise, has at most
	// faultReps. Every other rule has at most RuleRepetitions, the first of them.
	Repetitions, RuleRepetitions int
	Seed                         uint64
	// Resamples of our judge's bootstrap.
	Resamples int
	// Only are the scenarios to run; nil is all.
	Only *regexp.Regexp
}

const faultReps = 200

// Table is the outcome of a benchmark.
type Table struct {
	// Version is that of the judge, as its builder names it.
	Version   string  `json:"version,omitempty"`
	Seed      uint64  `json:"seed"`
	Resamples int     `json:"resamples"`
	Rows      []Row   `json:"rows"`
	Checks    []Check `json:"checks"`
}

// Row is what one contestant did in one scenario.
type Row struct {
	Scenario string  `json:"scenario"`
	Group    string  `json:"group"`
	Truth    string  `json:"truth"`
	Effect   float64 `json:"effect"`
	Line     Line    `json:"line,omitempty"`
	// Judged are the gates: "default", or their names. Wanted are the right decisions.
	Judged       string `json:"judged"`
	Wanted       string `json:"wanted"`
	Contestant   string `json:"contestant"`
	Repetitions  int    `json:"repetitions"`
	Pass         int    `json:"pass"`
	Fail         int    `json:"fail"`
	Inconclusive int    `json:"inconclusive"`
	// Right counts verdicts that the label accepts, ReasonHeld those of them with the required reason.
	Right      int `json:"right"`
	ReasonHeld int `json:"reason_held"`
	// NeedBlocks is the median of the blocks asked for, over the Asked verdicts that asked for some.
	NeedBlocks int `json:"need_blocks"`
	Asked      int `json:"asked"`
	// Samples is the number of requests an arm behind a verdict: for a rollout the median, 0 where most were not rolled back.
	Samples int `json:"samples,omitempty"`
	// InTime counts rollouts that were rolled back within decisionSlices.
	InTime int `json:"in_time,omitempty"`
}

// interval is that of Clopper and Pearson, of 95 %: it is exact for few repetitions too.
func (r *Row) interval(count int) (low, high float64) {
	const tail = .025
	k, rest := float64(count), float64(r.Repetitions-count)
	low, high = 0, 1
	if count > 0 {
		low = mathext.InvRegIncBeta(k, rest+1, tail)
	}
	if rest > 0 {
		high = mathext.InvRegIncBeta(k+1, rest, 1-tail)
	}
	return low, high
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
}

// Run runs the scenarios. Each repetition has a seed of its own, so the table does not depend on the number of CPUs.
func Run(ctx context.Context, o Options) (Table, error) {
	table := Table{Seed: o.Seed, Resamples: o.Resamples}
	contestants := Contestants()
	for _, s := range Scenarios() {
		if o.Only != nil && !o.Only.MatchString(s.Name) {
			continue
		}
		answers, err := repeat(ctx, &s, contestants, o)
		if err != nil {
			return Table{}, err
		}
		table.Rows = append(table.Rows, rowsOf(&s, contestants, answers)...)
	}
	for _, r := range Rollouts() {
		if o.Only != nil && !o.Only.MatchString(r.Name) {
			continue
		}
		rows, err := r.rows(ctx, o)
		if err != nil {
			return Table{}, err
		}
		table.Rows = append(table.Rows, rows...)
	}
	table.Checks = check(table.Rows)
	return table, nil
}

// rowsOf counts the answers; a contestant that was not asked has no row.
func rowsOf(s *Scenario, contestants []Contestant, answers [][]Answer) []Row {
	var rows []Row
	for k, c := range contestants {
		row := Row{
			Scenario: s.Name, Group: s.Group, Truth: s.Truth, Effect: s.Effect, Line: s.Line, Judged: namesOf(s.Gates), Wanted: wanted(s.Accept...),
			Contestant: c.Name, Samples: s.Pairs * s.Requests,
		}
		var asked []int
		for _, given := range answers {
			if k >= len(given) {
				break
			}
			row.add(s, given[k])
			if given[k].NeedBlocks > 0 {
				asked = append(asked, given[k].NeedBlocks)
			}
		}
		if row.Asked = len(asked); row.Asked > 0 {
			slices.Sort(asked)
			row.NeedBlocks = asked[row.Asked/2]
		}
		if row.Repetitions > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

func wanted(accept ...swap.Decision) string {
	words := make([]string, len(accept))
	for i, d := range accept {
		words[i] = string(d)
	}
	return strings.Join(words, " or ")
}

// repeat returns the answers of every repetition, one for each contestant that takes part in it.
func repeat(ctx context.Context, s *Scenario, contestants []Contestant, o Options) ([][]Answer, error) {
	n := o.Repetitions
	if s.Line == DataFault {
		n = min(n, faultReps)
	}
	answers := make([][]Answer, n)
	err := parallel(ctx, n, func(k int) {
		t := Trial{Evidence: s.Evidence(o.random(s.Name, k), o.Resamples)}
		taking := contestants
		if k >= o.RuleRepetitions {
			taking = contestants[:1]
		}
		for _, c := range taking {
			answers[k] = append(answers[k], c.Decide(&t))
		}
	})
	return answers, err
}

// random are the numbers of a scenario's repetition k.
func (o Options) random(scenario string, k int) *rand.Rand {
	return rand.New(rand.NewPCG(o.Seed^hash(scenario), uint64(k))) //nolint:gosec // G115: k counts from 0
}

// parallel does work 0 to n−1 on all CPUs, until the context ends.
func parallel(ctx context.Context, n int, work func(k int)) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < n && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				work(k)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

func hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}
