package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// maxReactions is what a comment shows at most.
const maxReactions = 10

// reactionPart shows each load step against three limits. They decided nothing, so it wears no badge of a decision.
type reactionPart struct {
	Lead        string
	Recommended []string
	Rows        []reactionRow
}

type reactionRow struct {
	Label, Arm, State, Sensitivity, Knee, Cost, Rank, Classic, Why string
}

func newReactionPart(r *swap.ReactionResult) *reactionPart {
	if r == nil {
		return nil
	}
	part := &reactionPart{Lead: fmt.Sprintf("This decided nothing. A limit is reached or kept where the whole interval says so, each of "+
		"its bounds with a confidence of %s. The weighted sum, %s, is for an order of candidates only.",
		phrase.Quantity(r.Level, "fraction"), weighing(r))}
	for _, c := range r.Recommended {
		part.Recommended = append(part.Recommended, sentence(c.Message))
	}
	for _, s := range r.Steps {
		for _, arm := range swap.Arms {
			part.Rows = append(part.Rows, newReactionRow(s.Label, arm, s.Arms.Get(arm)))
		}
	}
	return part
}

// weighing is such as "finance (0.55, 0.3 and 0.15)".
func weighing(r *swap.ReactionResult) string {
	name := "with weights of one's own"
	if r.Scenario != "" {
		name = "by scenario " + phrase.Clean(string(r.Scenario))
	}
	return fmt.Sprintf("%s (%.3g, %.3g and %.3g)", name, r.Weights.Sensitivity, r.Weights.Knee, r.Weights.Cost)
}

func newReactionRow(label string, arm swap.Arm, a swap.ArmReaction) reactionRow {
	classic := a.Classic.String() + ", does not block"
	if a.ClassicBlocks {
		classic = a.Classic.String() + ", blocks"
	}
	var why []string
	for _, s := range []swap.ReactionSignal{a.Sensitivity, a.Knee, a.Cost} {
		why = append(why, sentence(s.Message))
	}
	return reactionRow{
		Label: phrase.Clean(label), Arm: string(arm), State: orNA(string(a.State)), Sensitivity: utilisation(a.Sensitivity),
		Knee: utilisation(a.Knee), Cost: utilisation(a.Cost), Rank: a.Rank.String(), Classic: classic,
		Why: strings.TrimSpace(strings.Join(why, " ")),
	}
}

// utilisation is such as "kept, 0.62 (0.5 to 0.71)".
func utilisation(s swap.ReactionSignal) string {
	said := orNA(string(s.State))
	if s.Utilisation.Valid() {
		said += ", " + s.Utilisation.String()
	}
	switch {
	case s.Low.Valid() && s.High.Valid():
		said += fmt.Sprintf(" (%s to %s)", s.Low, s.High)
	case s.Low.Valid():
		said += fmt.Sprintf(" (at least %s)", s.Low)
	case s.High.Valid():
		said += fmt.Sprintf(" (at most %s)", s.High)
	}
	return said
}

func mdReaction(b *bytes.Buffer, r *swap.ReactionResult) {
	if r == nil {
		return
	}
	b.WriteString("Which load the candidate takes within three limits (this decided nothing):\n\n")
	for _, c := range r.Recommended {
		fmt.Fprintf(b, "- **Recommended** %s\n", mdText(phrase.Clip(sentence(c.Message), 300)))
	}
	for i, s := range r.Steps {
		if i == maxReactions {
			fmt.Fprintf(b, "- and %d more steps\n", len(r.Steps)-i)
			break
		}
		row := newReactionRow(s.Label, swap.Candidate, s.Arms.Candidate)
		fmt.Fprintf(b, "- **%s** %s: P99 by prompt %s; knee %s; cost %s. Classic rule: %s.\n", mdText(orNA(row.Label)), mdText(row.State),
			mdText(row.Sensitivity), mdText(row.Knee), mdText(row.Cost), mdText(row.Classic))
	}
	b.WriteString("\n")
}
