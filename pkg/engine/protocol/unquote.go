package protocol

import (
	"bytes"
	"encoding/json"
)

// Unquote decodes the Text of one chunk, or of several joined. Half a character becomes U+FFFD; what is not the inside of a
// JSON string is returned as it is.
func Unquote(raw []byte) string {
	var s string
	if err := json.Unmarshal(bytes.Join([][]byte{nil, raw, nil}, []byte{'"'}), &s); err != nil {
		return string(raw)
	}
	return s
}
