package snapshot

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// What earlier versions kept must be restored by this one.
func TestDocumentsOfTheFirstVersion(t *testing.T) {
	data, err := os.ReadFile("testdata/v1.json")
	require.NoError(t, err)
	data = []byte(strings.TrimSpace(string(data)))
	st := newMemory()
	s, err := decode(data)
	require.NoError(t, err)
	require.Zero(t, s.SchemaVersion)
	require.Equal(t, "m-8b-fp8", s.Arms.Candidate.Model)
	require.Equal(t, swap.AllBaseline, *s.Weights)
	require.Equal(t, "ADMIN", s.Route.AdminToken.Env)

	st.objects[key(s, data)] = data
	got, ref, err := Latest(t.Context(), st, "chat")
	require.NoError(t, err)
	require.Equal(t, s, got)
	again, err := Load(t.Context(), st, ref)
	require.NoError(t, err)
	require.Equal(t, s, again)
	entries, err := List(t.Context(), st, "chat")
	require.NoError(t, err)
	require.Empty(t, entries[0].Problem)
}

func TestWhatCannotBeRestoredIsRefused(t *testing.T) {
	whole := `{"target":"chat","taken":"2026-05-01T12:00:00Z","route":{"kind":"swapgate","url":"u"},"weights":{"baseline":100,"candidate":0}`
	for name, c := range map[string]struct{ text, says string }{
		"a newer version":            {`{"schema_version":3,"anything":1}`, "version 3 and this swapgate reads up to 2; restore it with"},
		"an unknown field":           {whole + `,"gpu_state":"x"}`, "gpu_state"},
		"an unknown field of routes": {strings.Replace(whole, `"kind"`, `"mirror":true,"kind"`, 1) + "}", "mirror"},
		"weights of 90 %":            {strings.Replace(whole, "100", "90", 1) + "}", "do not make 100 %"},
		"negative weights":           {strings.Replace(whole, `100,"candidate":0`, `101,"candidate":-1`, 1) + "}", "do not make 100 %"},
		"no gateway":                 {`{"target":"chat","taken":"2026-05-01T12:00:00Z","weights":{"baseline":100,"candidate":0}}`, "not both"},
		"no target":                  {strings.Replace(whole, `"chat"`, `""`, 1) + "}", "target"},
		"two documents":              {whole + "}{}", "after top-level value"},
		"arms of another kind":       {whole + `,"arms":[1]}`, "arms"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode([]byte(c.text))
			require.ErrorContains(t, err, c.says)
		})
	}
	s, err := decode([]byte(whole + `,"arms":{"baseline":{"model":"m","new_fact":1}}}`))
	require.NoError(t, err, "what is only a record may hold more than is known")
	require.Equal(t, "m", s.Arms.Baseline.Model)
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"target":"chat","taken":"2026-05-01T12:00:00Z","route":{"url":"u"},"weights":{"baseline":100,"candidate":0}}`)
	f.Add(`{"schema_version":2,"target":"a","taken":"2026-05-01T12:00:00Z","proofs":[{"arm":"baseline"}],"arms":null}`)
	f.Add(`{"schema_version":1e9}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := decode([]byte(text))
		if err != nil {
			return
		}
		require.Regexp(t, targetName, s.Target)
		require.False(t, s.Taken.IsZero())
		if s.Weights != nil {
			require.NotNil(t, s.Route)
			require.Equal(t, 100, s.Weights.Baseline+s.Weights.Candidate)
		}
		data, err := json.Marshal(s)
		if err != nil {
			return // a year that JSON cannot write
		}
		again, err := decode(data)
		require.NoError(t, err)
		require.Equal(t, s.Weights, again.Weights)
	})
}

func FuzzDecodeMark(f *testing.F) {
	f.Add(`{"snapshot_sha256":"x","verdict_id":"r","verdict":"pass","decided":"2026-05-01T12:00:00Z"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if h, err := decodeMark([]byte(text)); err == nil {
			require.Equal(t, swap.Pass, h.Verdict)
			require.NotEmpty(t, h.VerdictID)
		}
	})
}
