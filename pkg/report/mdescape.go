package report

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
)

// wordJoiner is an invisible character that keeps a "@" or "#" from becoming a mention or a reference.
const wordJoiner = "\u2060"

// markdown escapes what GitHub and GitLab would take for markup: Markdown, HTML, table cells, mentions, references, and
// bare addresses, which would become links.
var markdown = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "|", `\|`, "[", `\[`, "]", `\]`, "!", `\!`, "$", `\$`,
	"@", "@"+wordJoiner, "#", `\#`+wordJoiner,
	"://", `\://`, "www.", `www\.`, "WWW.", `WWW\.`,
)

// mdText makes text from outside a part of a paragraph or of a table cell.
func mdText(s string) string { return mdEscape(phrase.Clean(s)) }

// mdEscape escapes a line of text; a mark that would start a list, a heading or a rule cannot, since formats never put
// such text at the start of a line.
func mdEscape(s string) string { return markdown.Replace(s) }

// mdCode sets an identifier in a fixed width. Text that could end the span is set as plain text instead.
func mdCode(s string) string {
	s = phrase.Clean(s)
	if s == "" || strings.ContainsAny(s, "`|<>&\\") {
		return mdEscape(s)
	}
	return "`" + s + "`"
}

// mdLink is a link whose address cannot break out of its parentheses.
func mdLink(l link) string {
	address := strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20", "|", "%7C").Replace(l.URL)
	return "[" + mdEscape(l.Text) + "](" + address + ")"
}
