// Package swapbench is a labelled benchmark of swap verdicts: scenarios of known truth, our judge and other rules on the same
// evidence, and how often each is right. It is pure: the same seed gives the same table on any number of CPUs.
package swapbench

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Line is the acceptance line that a scenario counts for.
type Line string

// The acceptance lines for our judge; a scenario of NoLine is reported only.
const (
	NoLine     Line = ""
	FalseFail  Line = "a: no change, false fail <= 1 %"
	AtMargin   Line = "b: at the margin, false pass <= 5 %"
	TailPower  Line = "c: P99 +20 % with 20,000 requests an arm, fail >= 90 %"
	BlockPower Line = "d: throughput -10 % or errors +1 point, fail >= 95 %"
	DataFault  Line = "e: data-quality fault, inconclusive with its reason 100 %"
	// The lines of the guard, which watches a rollout slice by slice.
	FalseRollback Line = "f: rollout at the margins, false rollback <= 1 %"
	RollbackTime  Line = "g: rollout at P99 +50 %, rolled back within 12 slices (median)"
)

var lines = []Line{FalseFail, AtMargin, TailPower, BlockPower, DataFault, FalseRollback, RollbackTime}

// Scenario is a measurement of known truth.
type Scenario struct {
	Name, Group string
	// Truth is the label in words. Effect is the true worsening in the first gate: relative, or in absolute points for errors and quality.
	Truth  string
	Effect float64
	// Accept are the right verdicts; Reason is the code that a data-quality fault must be given.
	Accept []swap.Decision
	Reason string
	Line   Line
	// Gates are judged; the first one is the scenario's subject.
	Gates []swap.Gate
	// Pairs of blocks and Requests in a block.
	Pairs, Requests int
	// Marginal is the distribution of TTFT in ms; Phi its autocorrelation within a block.
	Marginal process.Marginal
	Phi      float64
	// Drift is the rise of both arms over the run; Launch the standard deviation of an arm's own level, on the log scale.
	Drift, Launch float64
	// The candidate's factors; TailShare of its requests take TailFactor times as long to the first token.
	TTFT, TPOT, Tokens, Throughput float64
	TailShare, TailFactor          float64
	// BaseErrors and CandErrors are shares of failed requests.
	BaseErrors, CandErrors float64
	// BaseQuality and CandQuality are the shares of good answers, 0 on both arms where answers have no scores. ScoredByPrompt is the
	// share of prompts that decide alone whether their answer is good, for both arms alike as far as their shares agree.
	BaseQuality, CandQuality, ScoredByPrompt float64
	// SpoilRecord and Spoil put a fault into the evidence; nil is none.
	SpoilRecord func(*rawlog.Record)
	Spoil       func(*judge.Evidence)
}

// namesOf names the gates that are judged.
func namesOf(gates []swap.Gate) string {
	if len(gates) == len(defaultGates) {
		return "default"
	}
	names := make([]string, len(gates))
	for i, g := range gates {
		names[i] = g.Name()
	}
	return strings.Join(names, ", ")
}

func (s *Scenario) accepts(d swap.Decision) bool {
	for _, a := range s.Accept {
		if a == d {
			return true
		}
	}
	return false
}
