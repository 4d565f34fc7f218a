package protocol

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorCode(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"m","type":"NotFoundError","param":null,"code":404}}`: "NotFoundError",
		`{"error":{"message":"m","code":503,"type":null}}`:                         "503",
		`{"error":"Model is overloaded","error_type":"overloaded"}`:                "overloaded",
		`{"object":"error","message":"m","type":"BadRequestError","code":400}`:     "BadRequestError",
		`{"code":"rate_limit","message":"m"}`:                                      "rate_limit",
		`{"error":{"type":"my secret prompt","code":"a b"}}`:                       "",
		`{"error":{"type":"my secret prompt","code":429}}`:                         "429",
		`{"error":"my secret prompt"}`:                                             "",
		`{"detail":[{"msg":"m"}]}`:                                                 "",
		`<html>Bad Gateway</html>`:                                                 "",
		``:                                                                         "",
		`{"error":{"type":"` + strings.Repeat("x", 65) + `"}}`:                     "",
	} {
		require.Equal(t, want, ErrorCode([]byte(body)), body)
	}
}

func TestSafeCode(t *testing.T) {
	for code, want := range map[string]string{
		"context_length-exceeded.1": "context_length-exceeded.1", "400": "400", "null": "", "": "", "two words": "", "é": "", "a\nb": "",
	} {
		require.Equal(t, want, SafeCode([]byte(code)))
	}
}

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		``: "", `a`: "a", `a\nb\"`: "a\nb\"", `\u00e9\ud83d\ude00`: "é😀", `é😀`: "é😀", `\ud83d`: "\uFFFD", "\xF0\x9F": "\uFFFD\uFFFD",
		`\x`: `\x`, "a\nb": "a\nb",
	} {
		require.Equal(t, want, Unquote([]byte(raw)), raw)
	}
	require.Equal(t, "😀", Unquote([]byte(`\ud83d`+`\ude00`)), "the text of two chunks joined")
}
