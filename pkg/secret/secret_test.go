package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

const content = "hunter2-of-the-worker"

func resolved(t *testing.T) secret.Value {
	t.Helper()
	t.Setenv("SWAPGATE_TEST_KEY", content)
	v, err := secret.Resolve(&swap.SecretRef{Env: "SWAPGATE_TEST_KEY"})
	require.NoError(t, err)
	return v
}

func TestResolveReads(t *testing.T) {
	require.Equal(t, content, resolved(t).Reveal())

	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte("  "+content+"\n"), 0o600))
	v, err := secret.Resolve(&swap.SecretRef{File: path})
	require.NoError(t, err)
	require.Equal(t, content, v.Reveal())
	require.False(t, v.Empty())
}

func TestNoReferenceIsTheEmptyValue(t *testing.T) {
	v, err := secret.Resolve(nil)
	require.NoError(t, err)
	require.True(t, v.Empty())
	require.Empty(t, v.Reveal())
}

func TestResolveErrorsNameThePlaceAndNotTheContent(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	t.Setenv("SWAPGATE_TEST_EMPTY", "")
	t.Setenv("SWAPGATE_TEST_BROKEN", content+"\nX-Other: 1")
	for name, tc := range map[string]struct {
		ref  swap.SecretRef
		says string
	}{
		"neither":           {swap.SecretRef{}, "neither"},
		"both":              {swap.SecretRef{Env: "A", File: "/b"}, "both"},
		"variable unset":    {swap.SecretRef{Env: "SWAPGATE_TEST_NOT_THERE"}, "SWAPGATE_TEST_NOT_THERE"},
		"variable empty":    {swap.SecretRef{Env: "SWAPGATE_TEST_EMPTY"}, "SWAPGATE_TEST_EMPTY"},
		"variable broken":   {swap.SecretRef{Env: "SWAPGATE_TEST_BROKEN"}, "SWAPGATE_TEST_BROKEN"},
		"relative path":     {swap.SecretRef{File: "key"}, "not absolute"},
		"no such file":      {swap.SecretRef{File: filepath.Join(dir, "gone")}, "gone"},
		"empty file":        {swap.SecretRef{File: file("blank", " \n")}, "blank"},
		"directory":         {swap.SecretRef{File: dir}, dir},
		"line break inside": {swap.SecretRef{File: file("lines", content+"\n"+content)}, "lines"},
		"not a credential":  {swap.SecretRef{File: file("large", strings.Repeat(content, 4000))}, "large"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := secret.Resolve(&tc.ref)
			require.ErrorIs(t, err, secret.ErrInvalid)
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), content)
			require.True(t, v.Empty())
		})
	}
}

func TestValueHidesItself(t *testing.T) {
	v := resolved(t)
	nested := struct {
		hidden  secret.Value
		Visible secret.Value
		Pointer *secret.Value
		Map     map[string]secret.Value
	}{v, v, &v, map[string]secret.Value{"k": v}}

	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		require.NotContains(t, fmt.Sprintf(verb, v), content, verb)
		require.NotContains(t, fmt.Sprintf(verb, &v), content, verb)
		require.NotContains(t, fmt.Sprintf(verb, nested), content, verb)
		require.NotContains(t, fmt.Sprintf(verb, nested), fmt.Sprintf("%x", content), verb)
	}
	require.Equal(t, "[redacted]", fmt.Sprint(v))

	out, err := json.Marshal(nested)
	require.NoError(t, err)
	require.NotContains(t, string(out), content)
	require.Contains(t, string(out), "[redacted]")
}

func TestValueHidesItselfFromSlog(t *testing.T) {
	v := resolved(t)
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			slog.New(handler(&buf)).Info("dial", slog.Any("key", v), slog.Any("all", struct{ Key secret.Value }{v}))
			require.Contains(t, buf.String(), "[redacted]")
			require.NotContains(t, buf.String(), content)
		})
	}
}
