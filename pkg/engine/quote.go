package engine

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	// mostQuoted bounds what is shown of a server's text, in bytes with its escapes.
	mostQuoted = 120
	// keyTrace is how much of a key gives it away.
	keyTrace = 8
)

// quote shows the beginning of a text from outside to people: on one line, with what cannot be printed escaped, in bounded
// length, and nothing of it if it holds the key.
func (t Target) quote(b []byte) string {
	if trace := t.Key[:min(len(t.Key), keyTrace)]; trace != "" && bytes.Contains(b, []byte(trace)) {
		return "(not shown: it holds the key)"
	}
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(string(b[:min(len(b), 2*mostQuoted)]), "\uFFFD") {
		escaped := strconv.Quote(string(r))
		escaped = escaped[1 : len(escaped)-1]
		if out.Len()+len(escaped) > mostQuoted {
			return `"` + out.String() + `…"`
		}
		out.WriteString(escaped)
	}
	return `"` + out.String() + `"`
}
