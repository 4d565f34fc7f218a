package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfig(t *testing.T) {
	require.NoError(t, Default().Validate())
	cfg, err := ParseConfig([]byte(`{"model":"x","decode":{"base":"5ms"},"faults":{"error_rate":0.1}}`))
	require.NoError(t, err)
	require.Equal(t, "x", cfg.Model)
	require.Equal(t, 5*ms, cfg.Decode.Base.Std())
	require.Equal(t, Default().MaxBatch, cfg.MaxBatch)
	for bad, want := range map[string]string{
		`{"colour":"x"}`:                          "colour",
		`{"truth_entries":2000000000}`:            "truth_entries",
		`{"model":""}`:                            "model must be set",
		`{"kv_tokens":100}`:                       "must hold one request",
		`{"max_batch":0}`:                         "max_batch",
		`{"decode":{"base":"0s"}}`:                "decode.base",
		`{"faults":{"error_rate":-1}}`:            "error_rate",
		`{"noise":{"drift":1,"drift_time":"0s"}}`: "drift_time",
	} {
		_, err := ParseConfig([]byte(bad))
		require.ErrorContains(t, err, want, bad)
	}
	_, err = New(Config{})
	require.Error(t, err)
}

func TestFingerprintKnowsTheConfiguration(t *testing.T) {
	one, other := Default(), Default()
	other.APIKey, other.Faults.ErrorRate = "secret", 0.5
	require.Equal(t, one.Fingerprint(), other.Fingerprint(), "a key and a fault are no configuration")
	other.MaxBatch++
	require.NotEqual(t, one.Fingerprint(), other.Fingerprint())
}

func FuzzParseConfig(f *testing.F) {
	f.Add(`{"model":"x","prefill":{"base":"1ms","tokens_per_second":1e4}}`)
	f.Add(`{"noise":{"prefill":0.1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if cfg, err := ParseConfig([]byte(text)); err == nil {
			require.NoError(t, cfg.Validate())
		}
	})
}
