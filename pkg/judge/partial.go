package judge

import (
	"fmt"
	"math"
	"strings"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// partialShare is the largest tolerated share of good answers that lack a metric, and partialTail the same as a share of
	// the tail that a quantile speaks of: the answers that are not known may all belong there.
	partialShare = .01
	partialTail  = .1
	// partialUnlike is the part of it that is tolerated when the arms lack answers to an unlike share, which partialLevel is
	// the chance of saying of like ones. Answers are taken as independent, which errs towards not deciding.
	partialUnlike = .1
	partialLevel  = .01
)

// lacking counts good answers that should have a metric, and those of them that do not have it.
type lacking struct {
	answers int
	// uncounted lack it because the server reported no token count that can be believed, atOnce because all tokens came in one
	// read, valueless for any other reason.
	uncounted, atOnce, valueless int
}

// add counts one good answer, of so many tokens (NaN where the server did not count), that has the metric or not, and whose tokens
// came all at once or not.
func (l *lacking) add(tokens float64, metric swap.Metric, has, atOnce bool) {
	if !has && !shouldHave(tokens, metric) {
		return
	}
	l.answers++
	switch {
	case has:
	case restsOnTokens(metric) && math.IsNaN(tokens):
		l.uncounted++
	case metric == swap.MetricTPOT && atOnce:
		l.atOnce++
	default:
		l.valueless++
	}
}

func (l lacking) total() int { return l.uncounted + l.atOnce + l.valueless }

// exceeds reports whether more than a share of the answers lacks the metric.
func (l lacking) exceeds(share float64) bool { return float64(l.total()) > share*float64(l.answers) }

// shouldHave reports whether a good answer should have the metric. An answer of one token has no time per token, and of many prompts
// nothing is expected.
func shouldHave(tokens float64, metric swap.Metric) bool {
	return metric != swap.MetricQuality && (metric != swap.MetricTPOT || !(tokens <= 1))
}

func restsOnTokens(metric swap.Metric) bool {
	return metric == swap.MetricTPOT || metric == swap.MetricOutputTokens || metric == swap.MetricThroughput
}

// tolerated is the share of an arm's good answers that may lack a metric when its statistic is compared, and whether the
// arms lack answers to an unlike share.
func tolerated(arms swap.PerArm[lacking], stat swap.Stat) (share float64, unlike bool) {
	share = partialShare
	if q, isQuantile := stat.Quantile(); isQuantile {
		share = min(share, partialTail*min(q, 1-q))
	}
	base, cand := arms.Baseline, arms.Candidate
	// With no true difference, each lacking answer is the candidate's by its share of all answers.
	expected := float64(cand.answers) / float64(base.answers+cand.answers)
	if stats.BinomialP(cand.total(), base.total()+cand.total(), expected) < partialLevel {
		return share * partialUnlike, true
	}
	return share, false
}

// partial reports whether too many answers lack a metric for its statistic to be compared.
func partial(arms swap.PerArm[lacking], stat swap.Stat) bool {
	share, _ := tolerated(arms, stat)
	return arms.Baseline.exceeds(share) || arms.Candidate.exceeds(share)
}

// refusePartial refuses a gate that too many answers lack the metric for.
func (m *measured) refusePartial() {
	if !m.needs(swap.Baseline) {
		m.lacks.Baseline = lacking{}
	}
	if m.refusal == nil && partial(m.lacks, m.gate.Stat) {
		m.refuse(swap.ReasonPartialData, partialData(*m), 0)
	}
}

func partialData(m measured) string {
	var lacks []string
	var both lacking
	for _, arm := range swap.Arms {
		if l := m.lacks.Get(arm); l.total() > 0 {
			lacks = append(lacks, l.sentence(arm, m.gate.Metric))
			both.uncounted += l.uncounted
			both.atOnce += l.atOnce
		}
	}
	share, unlike := tolerated(m.lacks, m.gate.Stat)
	limit := fmt.Sprintf("more than the %s %% tolerated", percent(share))
	if unlike {
		limit += " where the arms differ in it"
	}
	return fmt.Sprintf("%s is not judged, because %s, %s: %s",
		shortName(m.gate), strings.Join(lacks, " and "), limit, nextOfLacking(both))
}

// sentence is such as "900 of 1800 answers of the candidate reported no token count".
func (l lacking) sentence(arm swap.Arm, metric swap.Metric) string {
	var lacks []string
	if l.uncounted > 0 {
		lacks = append(lacks, fmt.Sprintf("%d of %d answers of the %s reported no token count", l.uncounted, l.answers, arm))
	}
	if l.atOnce > 0 {
		lacks = append(lacks, fmt.Sprintf("all tokens of %d of %d answers of the %s came in one read", l.atOnce, l.answers, arm))
	}
	if l.valueless > 0 {
		lacks = append(lacks, fmt.Sprintf("%d of %d answers of the %s have no %s", l.valueless, l.answers, arm, spoken[metric].long))
	}
	return strings.Join(lacks, " and ")
}

const (
	countTokens = "make the server report token usage at the end of every stream"
	streamApart = "the server or a proxy buffers the stream, or the answers are too short for this machine: turn buffering off, or ask for " +
		"longer answers"
)

func nextOfLacking(l lacking) string {
	switch {
	case l.uncounted > 0 && l.atOnce > 0:
		return countTokens + "; " + streamApart
	case l.uncounted > 0:
		return countTokens
	case l.atOnce > 0:
		return streamApart
	}
	return "look at the raw records of those answers"
}

// lackingFindings names the answers that a gate is judged without.
func (m *measured) lackingFindings() []swap.Finding {
	if m.refusal != nil && m.refusal.Code == swap.ReasonPartialData {
		return nil // the reason says it
	}
	var findings []swap.Finding
	for _, arm := range swap.Arms {
		if l := m.lacks.Get(arm); l.total() > 0 {
			findings = append(findings, swap.Finding{
				Severity: swap.Notable, Subject: "gate " + m.gate.Name(),
				Message: l.sentence(arm, m.gate.Metric) + " and were left out", Next: nextOfLacking(l),
			})
		}
	}
	return findings
}

// withholdPartialSums takes back the totals of arms of which not all is counted.
func (m *measured) withholdPartialSums() {
	for _, arm := range swap.Arms {
		if m.lacks.Get(arm).total() > 0 {
			*m.values.Ptr(arm) = math.NaN()
		}
	}
}
