package protocol

import (
	"bytes"
	"encoding/json"
)

// ErrorCode finds the machine-readable code of the usual error bodies: {"error":{"type","code"}}, {"error":"…","error_type"}
// or {"type","code"}. It is empty if there is none, and never the message, which may quote the prompt.
func ErrorCode(body []byte) string { return SafeCode(codeOf(body)) }

// SafeCode returns b if it looks like an identifier or a number. Anything else could be text from a prompt.
func SafeCode(b []byte) string {
	if len(b) > 64 || string(b) == "null" {
		return ""
	}
	for _, c := range b {
		if !inLiteral[c] && c != '_' {
			return ""
		}
	}
	return string(b)
}

type errorFields struct {
	Type      json.RawMessage `json:"type"`
	ErrorType json.RawMessage `json:"error_type"`
	Code      json.RawMessage `json:"code"`
}

// codeOf returns the first of an error's type and code that is safe.
func codeOf(body []byte) []byte {
	var flat struct {
		errorFields
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &flat); err != nil {
		return nil
	}
	fields := flat.errorFields
	if bytes.HasPrefix(flat.Error, []byte("{")) {
		fields = errorFields{}
		if err := json.Unmarshal(flat.Error, &fields); err != nil {
			return nil
		}
	}
	for _, raw := range []json.RawMessage{fields.Type, fields.ErrorType, fields.Code} {
		if code := bytes.Trim(raw, `"`); SafeCode(code) != "" {
			return code
		}
	}
	return nil
}

// reportsError reports whether a body that should not be JSON is the JSON of an error, and its code.
func reportsError(body []byte) (failed bool, code []byte) {
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '{' {
		return false, nil
	}
	var c Chunk
	w := walker{b: body}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		if string(key) == "error" {
			w.failure(&c)
		} else {
			w.skip()
		}
	}
	return w.complete() && c.Failed, codeOf(body)
}
