package swap

import "time"

// InPlaceMethod names a way in which one server is made to serve another model.
type InPlaceMethod string

// The methods, each the admin interface of one engine.
const (
	// InPlaceVLLMLoRA loads a LoRA adapter under a name of its own and unloads the one before.
	InPlaceVLLMLoRA InPlaceMethod = "vllm_lora"
	// InPlaceVLLMReload puts vLLM to sleep, and reloads its weights from another path. It needs allow_unsafe.
	InPlaceVLLMReload InPlaceMethod = "vllm_reload"
	// InPlaceSGLang updates the weights of SGLang from disk.
	InPlaceSGLang InPlaceMethod = "sglang"
	// InPlaceTriton loads another model, or another version of the model, from Triton's repository.
	InPlaceTriton InPlaceMethod = "triton"
	// InPlaceLlamaCPP loads another model in llama.cpp's router mode.
	InPlaceLlamaCPP InPlaceMethod = "llama_cpp"
	// InPlaceOllama loads another model in Ollama.
	InPlaceOllama InPlaceMethod = "ollama"
	// InPlaceLlamaSwap loads another model behind llama-swap.
	InPlaceLlamaSwap InPlaceMethod = "llama_swap"
)

// InPlaceMethods are all methods, in the order of the documentation.
var InPlaceMethods = []InPlaceMethod{
	InPlaceVLLMLoRA, InPlaceVLLMReload, InPlaceSGLang, InPlaceTriton, InPlaceLlamaCPP, InPlaceOllama, InPlaceLlamaSwap,
}

// InPlace swaps the model inside one server, under load. baseline and candidate then have the same url, and their models are the
// names under which clients ask before and after the swap.
type InPlace struct {
	// Admin interface of the engine that is used.
	Method InPlaceMethod `json:"method" jsonschema:"required,enum=vllm_lora,enum=vllm_reload,enum=sglang,enum=triton,enum=llama_cpp,enum=ollama,enum=llama_swap"` //nolint:lll // a struct tag cannot be broken
	// URL of the admin interface. Left out, baseline.url.
	AdminURL string `json:"admin_url,omitempty" jsonschema:"format=uri,pattern=^https?://"`
	// Where the worker finds the admin interface's bearer token. Left out, baseline.api_key is sent if admin_url is left out too.
	AdminToken *SecretRef `json:"admin_token,omitempty"`
	// What the server loads for the baseline.
	From InPlaceSource `json:"from,omitzero"`
	// What the server loads for the candidate.
	To InPlaceSource `json:"to,omitzero"`
	// Permit a method that the engine's own documentation keeps from production: vllm_reload.
	AllowUnsafe bool `json:"allow_unsafe,omitempty"`
	// How often the model is swapped to the candidate under load; after each it is swapped back, also under load.
	Swaps int `json:"swaps,omitempty" jsonschema:"minimum=1,maximum=100"`
	// Longest time for one swap, from the call to the proof.
	Timeout Duration `json:"timeout,omitempty"`
	// How long the load runs before a swap, and again after it.
	Observe Duration `json:"observe,omitempty"`
	// Leave the candidate serving when the verdict is a pass. Left out, the baseline serves after every run.
	Promote bool `json:"promote,omitempty"`
	// Fixed prompts whose answers tell the models apart.
	Golden Golden `json:"golden,omitzero"`
}

// InPlaceSource is where the engine finds a model, in the terms of the method.
type InPlaceSource struct {
	// Path or name of the weights (sglang, vllm_reload) or of the adapter (vllm_lora, where the baseline may have none: the base
	// model), as the engine reads it.
	Path string `json:"path,omitempty"`
	// Version in the repository (triton); left out, the model's own version policy holds.
	Version string `json:"version,omitempty" jsonschema:"pattern=^[1-9][0-9]{0\\,17}$"`
}

// Golden are requests at temperature 0 whose answers identify a model.
type Golden struct {
	// The prompts. Each is asked twice: one that is answered in two ways tells nothing.
	Prompts []string `json:"prompts,omitempty" jsonschema:"minItems=1,maxItems=32"`
	// Length of an answer.
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"minimum=1,maximum=4096"`
	// Both models may give the same answers. Left out, the same answers mean that the swap is not proven.
	MayBeEqual bool `json:"may_be_equal,omitempty"`
}

// InPlaceResult is what a run did to the one server.
type InPlaceResult struct {
	// Before is what was served when the run began.
	Before EngineState `json:"before"`
	// Swaps are those under load, in their order.
	Swaps []ModelSwapResult `json:"swaps"`
	// Final is what was last proven to be served, by a swap or by going back.
	Final EngineState `json:"final"`
}

// InPlaceModel is one thing that an engine can serve.
type InPlaceModel struct {
	// Name under which clients ask for it.
	Name string `json:"name"`
	InPlaceSource
}

// InPlaceModelOf is what an arm stands for in an in-place swap.
func (s Spec) InPlaceModelOf(a Arm) InPlaceModel {
	if a == Candidate {
		return InPlaceModel{Name: s.Candidate.Model, InPlaceSource: s.InPlace.To}
	}
	return InPlaceModel{Name: s.Baseline.Model, InPlaceSource: s.InPlace.From}
}

// EngineState is what a server served at a moment, with what identifies it. It is the snapshot of an in-place swap.
type EngineState struct {
	Model InPlaceModel `json:"model"`
	At    time.Time    `json:"at"`
	// Digest identifies the weights by the engine's own word; empty where it has none.
	Digest string `json:"digest,omitempty"`
	// Fingerprint is the server's system_fingerprint; empty where it sends none.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Golden are the hashes of the answers to the golden prompts, in their order. An empty one is of a prompt that was answered
	// in two ways.
	Golden []string `json:"golden,omitempty"`
}

// ProofKind names what a proof rests on.
type ProofKind string

// The kinds of proof.
const (
	ProofIdentity    ProofKind = "identity"
	ProofDigest      ProofKind = "digest"
	ProofFingerprint ProofKind = "fingerprint"
	ProofGolden      ProofKind = "golden"
)

// Proof is one piece of evidence about what a server serves.
type Proof struct {
	Kind ProofKind `json:"kind"`
	// Holds is true for evidence that the wanted model is served, false for evidence against it; absent where it says nothing.
	Holds   *bool  `json:"holds,omitempty"`
	Message string `json:"message"`
}

// ModelSwap is one swap that was carried out, or was found done.
type ModelSwap struct {
	From InPlaceModel `json:"from"`
	// State is what is served now.
	State  EngineState `json:"state"`
	Proofs []Proof     `json:"proofs"`
	// Changed is false where the wanted model was already served.
	Changed bool `json:"changed"`
	// Asked is when the engine was told, Answered when it replied, Served when the wanted model was proven, Done when the one before
	// was out of service. The clock is the worker's.
	Asked    time.Time `json:"asked"`
	Answered time.Time `json:"answered"`
	Served   time.Time `json:"served"`
	Done     time.Time `json:"done"`
}

// Transition is what clients saw of a swap under load. Times in ms count from ModelSwap.Asked. A request belongs to the phase in
// which it was sent: before Asked, until Served, or after it.
type Transition struct {
	Before TransitionPhase `json:"before"`
	During TransitionPhase `json:"during"`
	After  TransitionPhase `json:"after"`
	// Errors is the largest burst of failures from Asked on; absent where none failed.
	Errors *ErrorBurst `json:"error_burst,omitempty"`
	// Stall is the longest time from Asked on in which requests were in flight and none got a token; absent where there was no token.
	Stall *TokenStall `json:"stall,omitempty"`
	// Spanning are the requests that were in flight at Asked.
	Spanning SpanningRequests `json:"spanning"`
	// Recovery is when each metric was back where it was before the swap.
	Recovery []Recovery `json:"recovery"`
}

// TransitionPhase is one phase of a swap under load.
type TransitionPhase struct {
	DurationMS float64       `json:"duration_ms"`
	Requests   int           `json:"requests"`
	Outcomes   OutcomeCounts `json:"outcomes"`
	TTFTP50ms  Value         `json:"ttft_p50_ms"`
	TTFTP95ms  Value         `json:"ttft_p95_ms"`
	TPOTP50ms  Value         `json:"tpot_p50_ms"`
	// LongestGapMS is the longest time in which requests were in flight and none got a token.
	LongestGapMS Value `json:"longest_gap_ms"`
}

// ErrorBurst is a run of failures with less than a second between two of them.
type ErrorBurst struct {
	Count int `json:"count"`
	// FromMS and ToMS are the first and the last failure.
	FromMS   float64       `json:"from_ms"`
	ToMS     float64       `json:"to_ms"`
	Outcomes OutcomeCounts `json:"outcomes"`
}

// TokenStall is a time in which no stream got a token.
type TokenStall struct {
	FromMS     float64 `json:"from_ms"`
	DurationMS float64 `json:"duration_ms"`
	// InFlight is the number of requests that waited at its end.
	InFlight int `json:"in_flight"`
}

// SpanningRequests are requests that a swap caught in flight.
type SpanningRequests struct {
	Requests int           `json:"requests"`
	Outcomes OutcomeCounts `json:"outcomes"`
	// LongestGapMS is the longest time between two tokens of one of them, or to its first.
	LongestGapMS Value `json:"longest_gap_ms"`
}

// Recovery is the return of a metric into the band in which it was before the swap. The band is of medians over short bins of time,
// or of the failures in them; only its upper limit counts, since lower is better.
type Recovery struct {
	// Metric is ttft, tpot or error_rate.
	Metric Metric `json:"metric"`
	Unit   string `json:"unit"`
	// Level is the typical value before the swap, Limit the upper limit of the band; absent where too little was seen.
	Level Value `json:"level"`
	Limit Value `json:"limit"`
	// AfterMS is when the metric came back for good; absent where it did not, or where that cannot be told.
	AfterMS Value `json:"after_ms"`
	// SettledMS is when it came for good to where it stayed at the end, be that the old level or a new one; absent where it did not.
	SettledMS Value `json:"settled_ms"`
	// BinMS is the length of a bin: no time is known more exactly.
	BinMS   Value  `json:"bin_ms"`
	Message string `json:"message"`
}
