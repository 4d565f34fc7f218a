package phrase

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ansi matches terminal control sequences: CSI (colours, cursor), OSC (titles, links) and two-byte escapes.
var ansi = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-Z\\\\^_]")

// Clean makes text from outside safe to show on one line of any medium: terminal sequences, control characters, invisible
// and direction-changing characters and invalid UTF-8 go away, and every run of white space becomes one space.
func Clean(s string) string {
	s = ansi.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\uFFFE', r == '\uFFFF':
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Clip shortens s to at most limit runes, at a word boundary where there is one, and marks the cut with an ellipsis.
func Clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	if limit <= 0 {
		return ""
	}
	kept := string([]rune(s)[:limit-1])
	if at := strings.LastIndexByte(kept, ' '); at > len(kept)/2 {
		kept = kept[:at]
	}
	return strings.TrimRight(kept, " ,;:") + "…"
}
