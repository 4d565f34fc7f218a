package swap

// API is the HTTP interface that requests use. It also decides the unit in which load is counted.
type API string

// The interfaces of language models. chat and completions are OpenAI's; the others are the engines' own.
const (
	APIChat        API = "chat"
	APICompletions API = "completions"
	APITGI         API = "tgi"
	APISGLang      API = "sglang"
	APITriton      API = "triton"
	APIOllama      API = "ollama"
)

// The interfaces of image and audio models, all OpenAI's.
const (
	APIImages         API = "images"
	APISpeech         API = "speech"
	APITranscriptions API = "transcriptions"
)

// Unit is what the work of a request is counted in.
type Unit string

// The units of load.
const (
	UnitTokens       Unit = "tokens"
	UnitPixelSteps   Unit = "pixel steps"
	UnitAudioSeconds Unit = "audio seconds"
)

// Unit of the work that one request asks for.
func (a API) Unit() Unit {
	switch a {
	case APIImages:
		return UnitPixelSteps
	case APISpeech, APITranscriptions:
		return UnitAudioSeconds
	}
	return UnitTokens
}

// Workload says what each request asks.
type Workload struct {
	// chat is /v1/chat/completions, completions is /v1/completions; tgi, sglang, triton and ollama are the streaming
	// interfaces of these engines' own. images is /v1/images/generations, speech /v1/audio/speech, transcriptions
	// /v1/audio/transcriptions.
	API API `json:"api,omitempty" jsonschema:"enum=chat,enum=completions,enum=tgi,enum=sglang,enum=triton,enum=ollama,enum=images,enum=speech,enum=transcriptions"` //nolint:lll // a struct tag cannot be broken
	// A file of prompts on the load worker, one JSON object {"prompt": "…"} a line, each with an expectation of its answer
	// ("expect") where quality is judged. Left out, prompts are synthetic. It excludes input_tokens and api transcriptions.
	PromptFile string `json:"prompt_file,omitempty" jsonschema:"minLength=1"`
	// Length of synthetic prompts, in tokens: with api images of the description, with api speech of the text that is read
	// out. Not for api transcriptions.
	InputTokens Lengths `json:"input_tokens,omitzero"`
	// Length of the answer asked for, in tokens (max_tokens). For language models only.
	OutputTokens Lengths `json:"output_tokens,omitzero"`
	// Ask the server to generate exactly output_tokens (vLLM, SGLang, llama.cpp: ignore_eos).
	IgnoreEOS bool `json:"ignore_eos,omitempty"`
	// Sampling temperature. Not for api images and speech.
	Temperature float64 `json:"temperature,omitempty" jsonschema:"minimum=0,maximum=2"`
	// salted makes every prompt new to the server's prefix cache; shared sends the same prompts to both arms as they are.
	PromptCache PromptCache `json:"prompt_cache,omitempty" jsonschema:"enum=salted,enum=shared"`
	// Requests that belong together: a conversation, a fan-out, a chain. Left out, every request stands alone. For api chat;
	// star also for completions.
	Topology *Topology `json:"topology,omitempty"`
	// Images asked for with api images.
	Image *ImageAsk `json:"image,omitempty"`
	// Length of the recordings sent with api transcriptions, in whole seconds.
	AudioSeconds *Lengths `json:"audio_seconds,omitempty"`
	// Seed of prompts, lengths and arrivals. Both arms get the same plan.
	Seed uint64 `json:"seed,omitempty" jsonschema:"minimum=0,maximum=18446744073709551615"`
	// A request that is not finished after this long counts as failed.
	RequestTimeout Duration `json:"request_timeout,omitempty"`
}

// PromptCache says what the servers' prefix caches may do for a request.
type PromptCache string

// The two treatments of prefix caches.
const (
	CacheSalted PromptCache = "salted"
	CacheShared PromptCache = "shared"
)

// Lengths is a log-normal length in tokens, or in seconds of audio, clipped to [min, max]. sigma 0 is a constant.
type Lengths struct {
	// Median length.
	Median int `json:"median,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// Standard deviation of the logarithm of the length.
	Sigma float64 `json:"sigma,omitempty" jsonschema:"minimum=0,maximum=3"`
	// Shortest length. Left out, a sixteenth of the median.
	Min int `json:"min,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// Longest length. Left out, sixteen times the median.
	Max int `json:"max,omitempty" jsonschema:"minimum=1,maximum=1000000"`
}

// Shape is how the requests of one unit of work follow each other.
type Shape string

// The shapes of a topology.
const (
	// ShapeSession is a conversation: each turn holds the turns before it with their answers.
	ShapeSession Shape = "session"
	// ShapeStar is a fan-out: all requests of the unit are sent at the same moment.
	ShapeStar Shape = "star"
	// ShapeRing is a chain: each request is sent when the one before has ended, and carries its answer on.
	ShapeRing Shape = "ring"
)

// Topology groups requests into units of work. An open loop starts units at its rate; the rate of requests is size times
// as high.
type Topology struct {
	// session is a conversation of several turns, star sends all requests of a unit at once, ring passes the answer of each
	// request to the next.
	Shape Shape `json:"shape" jsonschema:"required,enum=session,enum=star,enum=ring"`
	// Requests in a unit.
	Size int `json:"size,omitempty" jsonschema:"minimum=2,maximum=100"`
	// Shape session: mean pause before each later turn, exponentially distributed.
	ThinkTime Duration `json:"think_time,omitempty"`
}

// ImageAsk is one image to generate; its work is width · height · steps.
type ImageAsk struct {
	// Width in pixels.
	Width int `json:"width,omitempty" jsonschema:"minimum=64,maximum=8192"`
	// Height in pixels.
	Height int `json:"height,omitempty" jsonschema:"minimum=64,maximum=8192"`
	// Denoising steps, sent as num_inference_steps. Left out, the server decides, and work is counted as one step.
	Steps int `json:"steps,omitempty" jsonschema:"minimum=1,maximum=1000"`
}
