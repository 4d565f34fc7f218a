package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// blockTokens is the size of a block of the KV cache, vLLM's default.
const blockTokens = 16

// What the simulator reserves memory for ahead of its use.
const (
	mostTokens  = 1 << 20
	mostEntries = 1 << 20
)

// Config describes one simulated server.
type Config struct {
	// Model is the name that clients ask for.
	Model string `json:"model"`
	// Version is what GET /version says.
	Version string `json:"version"`
	// APIKey, if set, is the bearer key that guards /v1.
	APIKey string `json:"api_key,omitempty"`
	// MaxModelLen is the longest prompt plus answer, in tokens.
	MaxModelLen int `json:"max_model_len"`
	// MaxBatch is the most requests in service at a time, those in prefill included.
	MaxBatch int `json:"max_batch"`
	// KVTokens is the capacity of the KV cache in tokens.
	KVTokens int     `json:"kv_tokens"`
	Prefill  Prefill `json:"prefill"`
	Decode   Decode  `json:"decode"`
	// PrefixCache says whether blocks of earlier prompts are reused.
	PrefixCache bool `json:"prefix_cache"`
	// Loading is how long after its start the server answers 503.
	Loading swap.Duration `json:"loading"`
	Cold    ColdStart     `json:"cold_start"`
	// NaturalLength is the length in tokens at which an answer ends by itself, drawn from the prompt alone so that
	// servers agree. A request with ignore_eos runs on to max_tokens. Median 0: answers never end by themselves.
	NaturalLength swap.Lengths `json:"natural_length"`
	Noise         Noise        `json:"noise"`
	// Seed of the noise and of the choice of requests that a fault hits.
	Seed uint64 `json:"seed"`
	// Weights are what can be loaded in place, by their path, and Loaded is the path of what is loaded at the start. Without any, the
	// server cannot be swapped in place.
	Weights map[string]Weights `json:"weights,omitempty"`
	Loaded  string             `json:"loaded,omitempty"`
	// TruthEntries is how many requests the truth log remembers.
	TruthEntries int    `json:"truth_entries"`
	Faults       Faults `json:"faults"`
}

// Prefill is the cost of reading a prompt.
type Prefill struct {
	Base            swap.Duration `json:"base"`
	TokensPerSecond float64       `json:"tokens_per_second"`
	// Contention lengthens a prefill by this share for every other request that is in prefill when it begins.
	Contention float64 `json:"contention"`
}

// Decode is the cost of one decode step.
type Decode struct {
	Base            swap.Duration `json:"base"`
	PerSequence     swap.Duration `json:"per_sequence"`
	PerContextToken swap.Duration `json:"per_context_token"`
}

// ColdStart slows the first requests down: request k of n (from 0) takes Extra · (1 − k/n) longer.
type ColdStart struct {
	Requests int           `json:"requests"`
	Extra    swap.Duration `json:"extra"`
}

// Noise is multiplicative and log-normal with median 1; each field is a standard deviation of the logarithm.
type Noise struct {
	// Prefill and Decode are independent from draw to draw.
	Prefill float64 `json:"prefill"`
	Decode  float64 `json:"decode"`
	// Drift is shared by all service times and decays in correlation as exp(−Δt/DriftTime): an AR(1) process.
	Drift     float64       `json:"drift"`
	DriftTime swap.Duration `json:"drift_time"`
}

// Default returns a server that behaves like a small model on a fast GPU: about 25 ms to the first token of a prompt of
// 200 tokens and 4 ms a decode step, at 200 requests per second of 16 tokens.
func Default() Config {
	return Config{
		Model: "demo-8b", Version: "0.27.0",
		MaxModelLen: 8192, MaxBatch: 64, KVTokens: 65536,
		Prefill: Prefill{
			Base: swap.Duration(6 * time.Millisecond), TokensPerSecond: 14000, Contention: 0.04,
		},
		Decode: Decode{
			Base:            swap.Duration(3200 * time.Microsecond),
			PerSequence:     swap.Duration(30 * time.Microsecond),
			PerContextToken: swap.Duration(100 * time.Nanosecond),
		},
		PrefixCache:   true,
		Cold:          ColdStart{Requests: 4, Extra: swap.Duration(300 * time.Millisecond)},
		NaturalLength: swap.Lengths{Median: 180, Sigma: 0.6},
		Noise:         Noise{Prefill: 0.12, Decode: 0.03, Drift: 0.02, DriftTime: swap.Duration(2 * time.Second)},
		Seed:          1, TruthEntries: 16384,
	}
}

// ParseConfig reads a JSON configuration over Default. Unknown fields are errors.
func ParseConfig(data []byte) (Config, error) {
	cfg := Default()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&cfg); err != nil {
		return Config{}, fmt.Errorf("simulated engine configuration: %w", err)
	}
	return cfg, cfg.Validate()
}

// Validate names every setting with which the server could not run.
func (c Config) Validate() error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("simulated engine configuration: "+format, args...))
		}
	}
	require(c.Model != "", "model must be set")
	require(c.MaxModelLen > 0 && c.MaxModelLen <= mostTokens, "max_model_len must be 1 to %d, not %d", mostTokens, c.MaxModelLen)
	require(c.MaxBatch > 0, "max_batch must be positive, not %d", c.MaxBatch)
	require(c.KVTokens/blockTokens*blockTokens >= c.MaxModelLen,
		"kv_tokens (%d) must hold one request of max_model_len (%d)", c.KVTokens, c.MaxModelLen)
	require(c.Prefill.TokensPerSecond > 0, "prefill.tokens_per_second must be positive, not %v", c.Prefill.TokensPerSecond)
	require(c.Prefill.Base >= 0 && c.Prefill.Contention >= 0, "prefill must not be negative")
	require(c.Decode.Base > 0, "decode.base must be positive, not %v", c.Decode.Base)
	require(c.Decode.PerSequence >= 0 && c.Decode.PerContextToken >= 0, "decode must not be negative")
	require(c.Loading >= 0 && c.Cold.Requests >= 0 && c.Cold.Extra >= 0, "loading and cold_start must not be negative")
	require(c.Noise.Prefill >= 0 && c.Noise.Decode >= 0 && c.Noise.Drift >= 0, "noise must not be negative")
	require(c.Noise.Drift == 0 || c.Noise.DriftTime > 0, "noise.drift needs a positive noise.drift_time")
	for path, w := range c.Weights {
		require(w.Slow == 0 || w.Slow >= 1, "weights[%q].slow must be at least 1, not %v", path, w.Slow)
	}
	_, loadable := c.Weights[c.Loaded]
	require(loadable || len(c.Weights) == 0 && c.Loaded == "", "loaded (%q) must be one of weights", c.Loaded)
	require(c.TruthEntries > 0 && c.TruthEntries <= mostEntries, "truth_entries must be 1 to %d, not %d", mostEntries, c.TruthEntries)
	errs = append(errs, c.Faults.Validate())
	return errors.Join(errs...)
}

// Fingerprint is the system_fingerprint of replies: "vllm-<version>-<hash8>", the same for equal configurations
// whatever their key and faults.
func (c Config) Fingerprint() string {
	c.APIKey, c.Faults = "", Faults{}
	data, err := json.Marshal(c) //nolint:gosec // G117: the key is blank here
	if err != nil {
		data = []byte(c.Model)
	}
	sum := sha256.Sum256(data)
	return "vllm-" + c.Version + "-" + hex.EncodeToString(sum[:4])
}
