package report

import (
	"bytes"
	"fmt"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// maxOpinions is what a comment shows at most.
const maxOpinions = 10

// opinionRow is what an older rule says. It decided nothing, so it wears no badge of a decision.
type opinionRow struct{ Rule, Subject, Says, Message, Weakness string }

// about is such as "classic_5pct of ttft_p99".
func (o opinionRow) about() string {
	if o.Subject == "" {
		return o.Rule
	}
	return o.Rule + " of " + o.Subject
}

func opinions(v swap.Verdict) []opinionRow {
	var rows []opinionRow
	for _, o := range v.Opinions {
		rows = append(rows, opinionRow{
			Rule: orNA(string(o.Rule)), Subject: phrase.Clean(o.Subject), Says: said(o.Says),
			Message: phrase.Clean(o.Message), Weakness: phrase.Clean(o.Weakness),
		})
	}
	return rows
}

func said(s swap.Says) string {
	switch s {
	case swap.SaysFires:
		return "fires"
	case swap.SaysSilent:
		return "does not fire"
	case swap.SaysCannotTell:
		return "cannot tell"
	}
	return orNA(string(s))
}

func mdOpinions(b *bytes.Buffer, v swap.Verdict) {
	rows := opinions(v)
	if len(rows) == 0 {
		return
	}
	b.WriteString("What other rules would have said (they decided nothing):\n\n")
	for i, o := range rows {
		if i == maxOpinions {
			fmt.Fprintf(b, "- and %d more\n", len(rows)-i)
			break
		}
		fmt.Fprintf(b, "- **%s** %s: %s. Its weakness: %s.\n", mdText(o.about()), mdText(o.Says), mdText(phrase.Clip(o.Message, 300)),
			mdText(phrase.Clip(orNA(o.Weakness), 300)))
	}
	b.WriteString("\n")
}
