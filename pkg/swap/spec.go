package swap

// Spec is one validation as a person writes it in swap.yaml. The doc comments of its fields are the descriptions in the
// JSON Schema that `swapgate schema` prints. Defaults are filled in by package config, in one place.
type Spec struct {
	// Name of the service whose model is replaced. It locks the target: one validation of a target at a time.
	Target string `json:"target" jsonschema:"required,pattern=^[a-z0-9]([a-z0-9-]{0\\,60}[a-z0-9])?$"`
	// The model that serves now.
	Baseline Endpoint `json:"baseline" jsonschema:"required"`
	// The model that should replace it. A field left out is taken from the environment: url from LLM_BACKEND_URL, model from
	// LLM_MODEL_ID.
	Candidate Endpoint `json:"candidate,omitzero"`
	// What is asked of both arms.
	Workload Workload `json:"workload,omitzero"`
	// Differences between the two servers that are known and meant.
	Compatibility Accepted `json:"compatibility,omitzero"`
	// Requests before measuring, per arm.
	WarmUp WarmUp `json:"warm_up,omitzero"`
	// The load steps; each is driven on both arms in interleaved blocks.
	Load Load `json:"load,omitzero"`
	// What is sampled beside the load.
	Telemetry Telemetry `json:"telemetry,omitzero"`
	// What the candidate must hold. All gates must pass.
	Gates []Gate `json:"gates,omitempty" jsonschema:"minItems=1,maxItems=100"`
	// How the gates are judged.
	Judge Judge `json:"judge,omitzero"`
	// How live traffic moves to the candidate after a pass. Left out, nothing is moved: the verdict is the result.
	Rollout *Rollout `json:"rollout,omitempty"`
	// How the model is swapped inside one server. Left out, both arms are up side by side.
	InPlace *InPlace `json:"in_place,omitempty"`
	// How many healthy snapshots of a target are kept.
	Snapshots Snapshots `json:"snapshots,omitzero"`
	// When a change of the serving model against its stored baseline counts (swapgate watch).
	Watch Watch `json:"watch,omitzero"`
	// Sizes of models, where their names do not tell them or mislead.
	ModelSizes []ModelSize `json:"model_sizes,omitempty" jsonschema:"maxItems=1000"`
	// Who is told.
	Notify Notify `json:"notify,omitzero"`
	// Where raw runs, snapshots and reports are kept.
	Store Store `json:"store,omitzero"`
}

// Endpoint is one inference server and the model asked of it.
type Endpoint struct {
	// Base URL of the server, without /v1, user name or query.
	URL string `json:"url" jsonschema:"required,format=uri,pattern=^https?://"`
	// Model name as the server's /v1/models lists it.
	Model string `json:"model" jsonschema:"required,minLength=1"`
	// Where the worker finds the bearer key. The key itself is never written down.
	APIKey *SecretRef `json:"api_key,omitempty"`
}

// ModelSize gives the models whose name matches a size.
type ModelSize struct {
	// Regular expression (RE2) that is looked for anywhere in the model's name, whatever its case. The first that matches counts.
	Pattern string `json:"pattern" jsonschema:"required,minLength=1"`
	// Number of parameters, in billions.
	Billions float64 `json:"billions" jsonschema:"required,exclusiveMinimum=0,maximum=100000"`
}

// SecretRef names a credential; workers resolve it where they run. Exactly one field is set.
type SecretRef struct {
	// Name of an environment variable of the worker.
	Env string `json:"env,omitempty" jsonschema:"pattern=^[A-Za-z_][A-Za-z0-9_]*$"`
	// Absolute path of a file on the worker; surrounding white space is dropped.
	File string `json:"file,omitempty" jsonschema:"pattern=^/"`
}

// Accepted names what the preflight need not stop for.
type Accepted struct {
	// Differences (by the name of their rule) that do not stop the run. They stay in the report.
	Accept []CompatRule `json:"accept,omitempty" jsonschema:"maxItems=100"`
}

// WarmUp bounds the requests made before measuring. It ends when latency is stable, or at a cap.
type WarmUp struct {
	// Fewest requests per arm. Left out, 20, or max_requests where that is lower.
	MinRequests int `json:"min_requests,omitempty" jsonschema:"minimum=1,maximum=100000"`
	// Most requests per arm. Left out, 200, or min_requests where that is higher.
	MaxRequests int `json:"max_requests,omitempty" jsonschema:"minimum=1,maximum=100000"`
	// Requests at a time.
	Concurrency int `json:"concurrency,omitempty" jsonschema:"minimum=1,maximum=10000"`
	// Longest warm-up per arm.
	MaxDuration Duration `json:"max_duration,omitempty"`
}

// Telemetry says what is sampled beside the load.
type Telemetry struct {
	// Time between two samples of a source.
	Interval Duration `json:"interval,omitempty"`
	// Scrape each arm's own Prometheus page. Default true.
	EngineMetrics *bool `json:"engine_metrics,omitempty"`
	// Further sources.
	Sources []TelemetrySource `json:"sources,omitempty" jsonschema:"maxItems=1000"`
}

// SourceKind names a kind of telemetry source.
type SourceKind string

// The kinds of telemetry source.
const (
	SourceEngine SourceKind = "engine"
	SourceDCGM   SourceKind = "dcgm"
	SourceNVML   SourceKind = "nvml"
)

// TelemetrySource is one further source of samples.
type TelemetrySource struct {
	// dcgm scrapes a dcgm-exporter page; nvml reads the GPUs of the named host through its GPU worker.
	Kind SourceKind `json:"kind" jsonschema:"required,enum=dcgm,enum=nvml"`
	// dcgm: URL of the metrics page.
	URL string `json:"url,omitempty" jsonschema:"format=uri,pattern=^https?://"`
	// nvml: host whose worker (role gpu) reads the GPUs.
	Host string `json:"host,omitempty" jsonschema:"minLength=1"`
	// The arm whose GPUs these are. Left out, both arms share them.
	Arm Arm `json:"arm,omitempty" jsonschema:"enum=baseline,enum=candidate"`
	// A required source that gives no samples makes the run inconclusive.
	Required bool `json:"required,omitempty"`
}

// Snapshots says how many are kept.
type Snapshots struct {
	// Healthy snapshots kept per target.
	Keep int `json:"keep,omitempty" jsonschema:"minimum=1,maximum=1000"`
}

// Notify says who is told of a verdict.
type Notify struct {
	// Slack; left out, nothing is posted.
	Slack *Slack `json:"slack,omitempty"`
	// Base URL of the Temporal UI, for links.
	TemporalUI string `json:"temporal_ui,omitempty" jsonschema:"format=uri,pattern=^https?://"`
	// Base URL under which the store's report is readable, for links.
	ReportBaseURL string `json:"report_base_url,omitempty" jsonschema:"format=uri,pattern=^https?://"`
}

// Slack is a channel and the bot token that posts there.
type Slack struct {
	// Channel name, with or without #, or channel id. Write a name with # in quotes: # starts a comment in YAML.
	Channel string `json:"channel" jsonschema:"required,pattern=^#?[^\\s#@]{1\\,80}$"`
	// Where the worker finds the bot token (scope chat:write, and files:write for charts). Left out, the message is stored but not
	// posted.
	Token *SecretRef `json:"token,omitempty"`
	// Ids of the users (U…) and user groups (S…) who may press the buttons: approve, hold and roll back. Left out, messages have
	// no buttons.
	Approvers []string `json:"approvers,omitempty" jsonschema:"minItems=1,maxItems=100,pattern=^[USW][A-Z0-9]{2\\,40}$"`
	// Another address of the Slack API, for a proxy or a test.
	APIURL string `json:"api_url,omitempty" jsonschema:"format=uri,pattern=^https?://"`
}

// Store is an S3-compatible bucket.
type Store struct {
	// host:port or URL of the S3 API. Left out, it is taken from SWAPGATE_S3_ENDPOINT.
	Endpoint string `json:"endpoint,omitempty" jsonschema:"minLength=1"`
	// Bucket; it must exist. Left out, it is taken from SWAPGATE_S3_BUCKET.
	Bucket string `json:"bucket,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9.-]{1\\,61}[a-z0-9]$"`
	// Prefix of every key.
	Prefix string `json:"prefix,omitempty"`
	// Region, where the service wants one.
	Region string `json:"region,omitempty"`
	// Where the worker finds the access key. Left out for an endpoint of amazonaws.com, the worker uses the usual AWS
	// credentials.
	AccessKey *SecretRef `json:"access_key,omitempty"`
	// Where the worker finds the secret key; it goes together with access_key.
	SecretKey *SecretRef `json:"secret_key,omitempty"`
}
