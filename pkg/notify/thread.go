package notify

import (
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Slack's limits for a button's confirmation, in characters.
const (
	maxConfirmTitle = 100
	maxConfirmText  = 300
)

// runMessage is the one message of a run: where it stands, and at the end its verdict.
func runMessage(channel string, in swap.ThreadInput, buttons []button.Action, key button.Key) (Payload, error) {
	if in.News.Over {
		return NewPayload(channel, in.Verdict), nil
	}
	v := in.Verdict
	title := swapTitle(v, maxHeader)
	blocks := []slack.Block{
		slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, title, false, false)),
		section(standing(in)),
		slack.NewSectionBlock(nil, []*slack.TextBlockObject{
			field("Baseline", phrase.Model(v.Arms.Baseline)), field("Candidate", phrase.Model(v.Arms.Candidate)),
		}, nil),
	}
	if addresses := links(v); addresses != "" {
		blocks = append(blocks, section(addresses))
	}
	if len(buttons) > 0 {
		actions, err := actionBlock(in, buttons, key)
		if err != nil {
			return Payload{}, err
		}
		blocks = append(blocks, actions)
	}
	blocks = append(blocks, slack.NewContextBlock("", text(contextLine(v))))
	return Payload{Channel: channel, Text: mrkdwn(title+". "+stageWords(in.News), maxText), Blocks: blocks}, nil
}

func swapTitle(v swap.Verdict, limit int) string {
	title := fmt.Sprintf("▶ %s: %s → %s", orWord(v.Target, "unnamed target"),
		orWord(v.Arms.Baseline.Model, "baseline"), orWord(v.Arms.Candidate.Model, "candidate"))
	return phrase.Clip(unmention(title), limit)
}

func orWord(s, word string) string {
	if s = phrase.Clean(s); s == "" {
		return word
	}
	return s
}

// standing is where a run stands, in a few lines.
func standing(in swap.ThreadInput) string {
	n := in.News
	lines := []string{"*" + stageWords(n) + "*"}
	if w := n.Weights; w != nil {
		lines = append(lines, fmt.Sprintf("Traffic: %d %% baseline, %d %% candidate", w.Baseline, w.Candidate))
	}
	if n.Can.Approve {
		lines = append(lines, awaited(n.Approve, in.Spec.Rollout))
	}
	if n.Extensions > 0 {
		lines = append(lines, fmt.Sprintf("Windows granted beyond the plan: %d", n.Extensions))
	}
	if len(in.Verdict.Reasons) > 0 {
		lines = append(lines, reasons(in.Verdict.Reasons))
	}
	return strings.Join(lines, "\n")
}

// stageWords say what a run does.
func stageWords(n swap.RunNews) string {
	if n.Stuck {
		return "The rollback does not get through; it is being retried. Look at the gateway."
	}
	switch n.Stage {
	case swap.StagePreflight, swap.StageSnapshot, swap.StageWarmUp:
		return "Started: both models are looked at and warmed up."
	case swap.StageLoad:
		return "Both models are measured under load."
	case swap.StageBaseline, swap.StageCompare:
		return "The measurements are judged."
	case swap.StageRollout:
		if n.Can.Approve {
			return fmt.Sprintf("Approval needed: %d %% of traffic on the candidate.", n.Approve)
		}
		return "Traffic moves to the candidate, step by step."
	case swap.StageRollback:
		return "Traffic goes back to the baseline."
	default:
		return "The report is being written."
	}
}

// awaited says what an approval would do, and what happens without.
func awaited(weight int, r *swap.Rollout) string {
	said := fmt.Sprintf("Approve, and the candidate gets %d %% of traffic.", weight)
	if r != nil && r.ApproveTimeout > 0 {
		said += fmt.Sprintf(" Without an approval within %s, traffic goes back to the baseline.", phrase.Duration(r.ApproveTimeout.Std()))
	}
	return said
}

// actionBlock holds the buttons.
func actionBlock(in swap.ThreadInput, actions []button.Action, key button.Key) (slack.Block, error) {
	elements := make([]slack.BlockElement, len(actions))
	for i, a := range actions {
		v := button.Value{
			Action: a, WorkflowID: in.Verdict.Provenance.WorkflowID, RunID: in.Verdict.Provenance.RunID, Seq: in.News.Seq,
		}
		if a == button.Approve {
			v.Weight = in.News.Approve
		}
		signed, err := key.Sign(v)
		if err != nil {
			return nil, err
		}
		elements[i] = styled(slack.NewButtonBlockElement(a.ID(), signed, plainText(label(a, in.News))), a, in.Verdict)
	}
	return slack.NewActionBlock(fmt.Sprintf("swapgate-%d", in.News.Seq), elements...), nil
}

func label(a button.Action, n swap.RunNews) string {
	switch a {
	case button.Approve:
		return fmt.Sprintf("Approve %d %%", n.Approve)
	case button.Extend:
		return "Hold: one more window"
	default:
		return "Roll back"
	}
}

// styled marks the way forward and the way back; going back asks for a confirmation.
func styled(b *slack.ButtonBlockElement, a button.Action, v swap.Verdict) *slack.ButtonBlockElement {
	switch a {
	case button.Approve:
		return b.WithStyle(slack.StylePrimary)
	case button.Rollback:
		target := unmention(orWord(v.Target, "the target"))
		model := unmention(orWord(v.Arms.Baseline.Model, "the baseline"))
		confirm := slack.NewConfirmationBlockObject(
			plainText(phrase.Clip("Roll back "+target+"?", maxConfirmTitle)),
			plainText(phrase.Clip("All traffic goes back at once, and the run ends. Traffic will be on "+model+".", maxConfirmText)),
			plainText("Roll back"), plainText("Keep going"))
		return b.WithStyle(slack.StyleDanger).WithConfirm(confirm.WithStyle(slack.StyleDanger))
	}
	return b
}

func plainText(s string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, s, false, false)
}

// reply is a post in the thread of a run.
func reply(channel string, p Post, in swap.ThreadInput) Payload {
	v, n := in.Verdict, in.News
	var said string
	switch p {
	case PostDeeds:
		said = deeds(n.Deeds)
	case PostApproval:
		said = "*" + mrkdwn(fmt.Sprintf("Approval needed for %s: %d %% of traffic on the candidate.", orWord(v.Target, "a run"), n.Approve),
			maxReasonText) + "*\n" + awaited(n.Approve, in.Spec.Rollout)
	case PostRollback:
		said = "*" + mrkdwn("Traffic of "+orWord(v.Target, "a run")+" goes back to the baseline.", maxReasonText) + "*"
		if len(v.Reasons) > 0 {
			said += "\n" + reasons(v.Reasons)
		}
	case PostVerdict:
		said = "*" + bold(mrkdwn(headline(v), maxHeader)) + "*\n" + mrkdwn(phrase.Summary(v), maxReasonText)
		if len(v.Reasons) > 0 {
			said += "\n" + reasons(v.Reasons)
		}
	}
	return Payload{Channel: channel, Text: said, Blocks: []slack.Block{section(said)}}
}

// deeds is what people asked for and what the run answered, a line each.
func deeds(all []swap.Deed) string {
	lines := make([]string, 0, len(all))
	for _, d := range all {
		said := d.Answer
		if by := phrase.Clean(d.By); by != "" && !strings.Contains(d.Answer, by) {
			said += " Asked by " + by + "."
		}
		lines = append(lines, "• "+mrkdwn(said, maxNoteText))
	}
	return strings.Join(lines, "\n")
}
