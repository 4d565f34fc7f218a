package compat

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// tokenizer shows what is known of a tokenizer: its name, and what it makes of the probe text.
func tokenizer(f swap.ArmFacts) string {
	var parts []string
	if f.Setup.Tokenizer != "" {
		parts = append(parts, f.Setup.Tokenizer)
	}
	if n, ok := f.Setup.ProbeTokens.Get(); ok {
		text := fmt.Sprintf("%.0f tokens of the probe text", n)
		if f.Setup.ProbeSHA256 != "" {
			text += ", ids " + f.Setup.ProbeSHA256
		}
		parts = append(parts, text)
	}
	if n, ok := f.Setup.ChatTokens.Get(); ok {
		parts = append(parts, fmt.Sprintf("%.0f tokens of the probe message", n))
	}
	return strings.Join(parts, "; ")
}

// judgeTokenizer believes what the tokenizers do before what they are called: ids of a fixed text, then their number, then the
// number in a chat message, then names.
func judgeTokenizer(p pair) opinion {
	b, c := p.arms.Baseline.Setup, p.arms.Candidate.Setup
	switch {
	case b.ProbeSHA256 != "" && c.ProbeSHA256 != "":
		return p.otherTokens(b.ProbeSHA256 != c.ProbeSHA256, "They make other tokens of the same text.")
	case b.ProbeTokens.Valid() && c.ProbeTokens.Valid():
		return p.otherTokens(b.ProbeTokens != c.ProbeTokens, "They make another number of tokens of the same text.")
	case b.ChatTokens.Valid() && c.ChatTokens.Valid():
		return p.otherTokens(b.ChatTokens != c.ChatTokens,
			"They count another number of tokens in the same chat message; the tokenizer or the chat template differs.")
	case b.Tokenizer != "" && c.Tokenizer != "":
		return p.otherTokens(b.Tokenizer != c.Tokenizer, "They have other names, and what they do could not be compared.")
	}
	return opinion{unknown: true}
}

// otherTokens names the gates that compare numbers of tokens.
func (p pair) otherTokens(differ bool, how string) opinion {
	if !differ {
		return opinion{}
	}
	reason := how + " No gate depends on numbers of tokens."
	if gates := tokenGates(p.plan.Gates); len(gates) > 0 {
		reason = how + " A token is not the same amount of text on both arms, so these gates do not compare like with like: " +
			strings.Join(gates, ", ") + "."
	}
	return opinion{severity: swap.Notable, reason: reason}
}

// tokenGates names the gates on quantities that count tokens. Gates against a limit judge the candidate alone.
func tokenGates(gates []swap.Gate) []string {
	var names []string
	for _, g := range gates {
		switch g.Metric {
		case swap.MetricTPOT, swap.MetricOutputTokens, swap.MetricThroughput:
			if !g.HasLimit() {
				names = append(names, g.Name())
			}
		}
	}
	return names
}

// template shows what is known of a chat template.
func template(f swap.ArmFacts) string {
	if f.Setup.ChatTemplateSHA256 != "" {
		return "template " + f.Setup.ChatTemplateSHA256
	}
	if n, ok := f.Setup.ChatTokens.Get(); ok {
		return fmt.Sprintf("%.0f tokens of the probe message", n)
	}
	return ""
}

// judgeTemplate compares the templates, or what they add to a message where the tokenizers are proven to be the same.
func judgeTemplate(p pair) opinion {
	const means = " The models are asked in other words, and prompts differ in length."
	b, c := p.arms.Baseline.Setup, p.arms.Candidate.Setup
	sameTokens := b.ProbeSHA256 != "" && b.ProbeSHA256 == c.ProbeSHA256
	switch {
	case b.ChatTemplateSHA256 != "" && c.ChatTemplateSHA256 != "":
		if b.ChatTemplateSHA256 == c.ChatTemplateSHA256 {
			return opinion{}
		}
		return opinion{severity: swap.Notable, reason: "The servers have other chat templates." + means}
	case !sameTokens || !b.ChatTokens.Valid() || !c.ChatTokens.Valid():
		return opinion{unknown: true}
	case b.ChatTokens != c.ChatTokens:
		return opinion{severity: swap.Notable, reason: "With the same tokenizer the same message has another number of tokens." + means}
	}
	return opinion{}
}
