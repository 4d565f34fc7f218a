package classic

import (
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Opinions is what each of the rules says of the load stage, in their order. Blocks are in the order of time, and curves name the
// steps that differ in their load level only. Rules must be complete, with every default filled in.
func Opinions(rules []swap.OpinionRule, blocks []judge.Block, curves []swap.Capacity) []swap.Opinion {
	var out []swap.Opinion
	load := loadStage{blocks: blocks, curves: curves}
	for _, r := range rules {
		out = append(out, load.opinion(r, gateGoesFirst(r, rules)))
	}
	return out
}

// gateGoesFirst reports whether the gate of 5 % is in force on what the three responses look at.
func gateGoesFirst(r swap.OpinionRule, rules []swap.OpinionRule) bool {
	return slices.ContainsFunc(rules, func(other swap.OpinionRule) bool {
		return other.Rule == swap.RuleFivePercent && other.Subject() == r.Subject() && other.Filter == r.Filter
	})
}

func (l loadStage) opinion(r swap.OpinionRule, gated bool) swap.Opinion {
	switch r.Rule {
	case swap.RuleFivePercent:
		change := l.change(r)
		return opinion(FivePercent{}, l.subject(r), FivePercent{}.Read(change),
			fmt.Sprintf("it %s by %s; the rule blocks a rise of more than %s", changed(change), size(change), percent(gateLimit)))
	case swap.RuleThreeEight:
		change := l.change(r)
		return opinion(ThreeEight{}, l.subject(r), ThreeEight{}.Read(change), responseWords(change, gated))
	case swap.RuleKSAdaptive:
		return l.distance(r)
	case swap.RuleCVR99:
		return l.window(r)
	case swap.RuleHybrid:
		return l.level(r)
	case swap.RuleSecondDiff:
		return l.secondDifference()
	case swap.RuleErrors3x:
		return l.errors()
	}
	return swap.Opinion{Rule: r.Rule, Says: swap.SaysCannotTell, Message: "this version does not know the rule"}
}

// opinion is a reading with its words, which are not needed where the rule cannot be computed.
func opinion(rule Rule, subject string, r Reading, words string) swap.Opinion {
	o := swap.Opinion{
		Rule: rule.Name(), Subject: subject, Says: swap.SaysSilent, Value: swap.Of(r.Value), Threshold: swap.Of(r.Threshold),
		Message: words, Weakness: rule.Weakness(),
	}
	switch {
	case r.Refusal != "":
		o.Says, o.Message = swap.SaysCannotTell, r.Refusal
	case !o.Value.Valid() || !o.Threshold.Valid():
		o.Says, o.Message = swap.SaysCannotTell, "there is no number to compare: "+words
		o.Value, o.Threshold = swap.Absent(), swap.Absent()
	case r.Fires:
		o.Says = swap.SaysFires
	}
	return o
}

func responseWords(change float64, gated bool) string {
	own := ThreeEight{}.Respond(change)
	words := fmt.Sprintf("it %s by %s, which is a case for: %s", changed(change), size(change), own)
	if response, by := Precedence(change); gated && response != own {
		words += fmt.Sprintf("; %s goes first and says: %s", by, response)
	}
	return words
}

func (l loadStage) distance(r swap.OpinionRule) swap.Opinion {
	reading := KSAdaptive{}.Read(l.pooled(r, swap.Baseline), l.pooled(r, swap.Candidate))
	return opinion(KSAdaptive{}, l.subject(r), reading,
		fmt.Sprintf("the distributions of single requests are %.3g apart; its threshold is %.3g", reading.Value, reading.Threshold))
}

// window asks every step of each arm, and tells of the one whose P99 varies most.
func (l loadStage) window(r swap.OpinionRule) swap.Opinion {
	var worst WindowReading
	at, refused, first := "", Reading{}, true
	for _, step := range l.steps() {
		for _, arm := range swap.Arms {
			reading := CVWindow{Limit: r.CV}.Read(l.series(r.Metric, swap.StatP99, step, arm), l.seconds(step, arm))
			switch {
			case reading.Refusal != "":
				refused = reading.Reading
			case first || reading.Value > worst.Value:
				worst, at, first = reading, fmt.Sprintf("the %s in step %d", arm, step), false
			}
		}
	}
	subject := l.subject(swap.OpinionRule{Metric: r.Metric, Stat: swap.StatP99})
	switch {
	case first && refused.Refusal == "":
		return opinion(CVWindow{}, subject, refuse("there is no block"), "")
	case first:
		return opinion(CVWindow{}, subject, refused, "")
	}
	words := fmt.Sprintf("the P99 of the blocks varies most for %s: by %s, within a window of %d s", at, percent(worst.Value), worst.Seconds)
	if !worst.Converged {
		words = fmt.Sprintf("no window is steady for %s: the P99 of its blocks varies by %s or more, not by less than %s",
			at, percent(worst.Value), percent(r.CV))
	}
	return opinion(CVWindow{}, subject, worst.Reading, words)
}

// level asks every step, and counts the candidate's blocks that are above their level over all of them.
func (l loadStage) level(r swap.OpinionRule) swap.Opinion {
	refused := refuse("there is no block")
	over, judged := 0, 0
	for _, step := range l.steps() {
		reading := Hybrid{}.Read(l.series(r.Metric, r.Stat, step, swap.Baseline), l.series(r.Metric, r.Stat, step, swap.Candidate))
		if reading.Refusal != "" {
			refused = reading.Reading
		}
		over, judged = over+reading.Over, judged+reading.Judged
	}
	if judged == 0 {
		return opinion(Hybrid{}, l.subject(r), refused, "")
	}
	reading := above(float64(over)/float64(judged), 0)
	return opinion(Hybrid{}, l.subject(r), reading, fmt.Sprintf(
		"%d of %d blocks of the candidate are above their level; of a healthy server about %s are", over, judged, percent(Hybrid{}.NoiseShare())))
}

// secondDifference asks the curve with the most steps, of both arms, and fires for the candidate's.
func (l loadStage) secondDifference() swap.Opinion {
	const subject = "throughput"
	steps := l.longestCurve()
	if len(steps) == 0 {
		return opinion(SecondDiff{}, subject, refuse("a second difference needs %d load steps of a live run that differ in their level only, "+
			"and nothing here says which steps do", fewestLevels), "")
	}
	var arms swap.PerArm[KneeReading]
	for _, arm := range swap.Arms {
		*arms.Ptr(arm) = SecondDiff{}.Read(l.throughputs(steps, arm))
	}
	if r := arms.Baseline.Reading; r.Refusal != "" {
		return opinion(SecondDiff{}, subject, r, "")
	}
	return opinion(SecondDiff{}, subject, arms.Candidate.Reading,
		fmt.Sprintf("baseline: %s; candidate: %s", arms.Baseline.words(steps), arms.Candidate.words(steps)))
}

func (k KneeReading) words(steps []int) string {
	if !k.Found {
		return "no knee"
	}
	return fmt.Sprintf("a knee at step %d", steps[k.Level])
}

func (l loadStage) errors() swap.Opinion {
	baseline, mean := l.errorRates(swap.Baseline)
	candidate, _ := l.errorRates(swap.Candidate)
	reading := ErrorsThreefold{}.Read(mean, candidate)
	if len(baseline) == 0 {
		reading = refuse("no request of the baseline is over")
	}
	return opinion(ErrorsThreefold{}, "error_rate", reading,
		fmt.Sprintf("the candidate's highest error rate of a block is %s; three times the baseline's mean is %s",
			percent(reading.Value), percent(reading.Threshold)))
}

func changed(change float64) string {
	if change < 0 {
		return "falls"
	}
	return "rises"
}

func size(change float64) string {
	if change < 0 {
		change = -change
	}
	return percent(change)
}
