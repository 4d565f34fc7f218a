package notify

import (
	"strings"
	"unicode/utf8"

	"github.com/swapgate/swapgate/pkg/report/phrase"
)

// wordJoiner is invisible and keeps "@" from being read as the start of a mention.
const wordJoiner = "\u2060"

// escapes are the three characters that mean something in Slack's text: with them escaped, no <!channel>, <@U123> or link
// can be written.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// mrkdwn makes text from outside safe to put into a Slack text of which it may use limit characters, escapes included.
func mrkdwn(s string, limit int) string {
	s = phrase.Clip(unmention(phrase.Clean(s)), limit)
	for keep := limit; ; keep -= max(1, overflow(s, keep, limit)) {
		if keep <= 0 {
			return ""
		}
		if escaped := escapes.Replace(phrase.Clip(s, keep)); utf8.RuneCountInString(escaped) <= limit {
			return escaped
		}
	}
}

// Escape makes text from outside safe to be one message of Slack: nothing in it mentions, links or commands.
func Escape(s string) string { return mrkdwn(s, maxText) }

// overflow is a guess at how many characters too many s has when clipped to keep: the longest escape adds four to one.
func overflow(s string, keep, limit int) int {
	return (utf8.RuneCountInString(escapes.Replace(phrase.Clip(s, keep))) - limit) / 5
}

// unmention breaks @channel, @here, @everyone and every other name behind an "@".
func unmention(s string) string { return strings.ReplaceAll(s, "@", "@"+wordJoiner) }
