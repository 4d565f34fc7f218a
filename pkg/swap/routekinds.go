package swap

// HTTPRoute is a rule of a Gateway API HTTPRoute that splits traffic between two backends.
type HTTPRoute struct {
	// Namespace of the HTTPRoute.
	Namespace string `json:"namespace" jsonschema:"required,minLength=1"`
	// Name of the HTTPRoute.
	Name string `json:"name" jsonschema:"required,minLength=1"`
	// Name of the rule, or its position, counted from 0. Left out, the only rule that names both backends.
	Rule string `json:"rule,omitempty" jsonschema:"minLength=1"`
	// Name of the backend (Service or InferencePool) of the baseline.
	Baseline string `json:"baseline" jsonschema:"required,minLength=1"`
	// Name of the backend of the candidate. It must be in the rule, with weight 0 before a rollout.
	Candidate string `json:"candidate" jsonschema:"required,minLength=1"`
}

// InferenceService is a KServe InferenceService that splits traffic between two revisions, or between its predictor and a canary.
type InferenceService struct {
	// Namespace of the InferenceService.
	Namespace string `json:"namespace" jsonschema:"required,minLength=1"`
	// Name of the InferenceService.
	Name string `json:"name" jsonschema:"required,minLength=1"`
	// Revision of the baseline, such as chat-predictor-00001. In mode Standard the name of the predictor; left out where it has none.
	Baseline string `json:"baseline,omitempty" jsonschema:"minLength=1"`
	// Revision of the candidate, which must be the latest. In mode Standard the predictor.name of the canary.
	Candidate string `json:"candidate" jsonschema:"required,minLength=1"`
}

// LLMInferenceService is a pair of KServe LLMInferenceServices in one routing group.
type LLMInferenceService struct {
	// Namespace of both.
	Namespace string `json:"namespace" jsonschema:"required,minLength=1"`
	// Name of the LLMInferenceService of the baseline.
	Baseline string `json:"baseline" jsonschema:"required,minLength=1"`
	// Name of the LLMInferenceService of the candidate.
	Candidate string `json:"candidate" jsonschema:"required,minLength=1"`
}

// VirtualService is a route of an Istio VirtualService that splits traffic between two destinations.
type VirtualService struct {
	// Namespace of the VirtualService.
	Namespace string `json:"namespace" jsonschema:"required,minLength=1"`
	// Name of the VirtualService.
	Name string `json:"name" jsonschema:"required,minLength=1"`
	// Name of the HTTP route, or its position, counted from 0. Left out, the only one that names both destinations.
	Rule string `json:"rule,omitempty" jsonschema:"minLength=1"`
	// Destination of the baseline.
	Baseline Destination `json:"baseline" jsonschema:"required"`
	// Destination of the candidate. It must be in the route, with weight 0 before a rollout.
	Candidate Destination `json:"candidate" jsonschema:"required"`
}

// Destination is a service in the mesh, or a subset of one.
type Destination struct {
	// Host as the route writes it.
	Host string `json:"host" jsonschema:"required,minLength=1"`
	// Subset of the host, where the route names one.
	Subset string `json:"subset,omitempty" jsonschema:"minLength=1"`
}

// LiteLLM is a pair of deployments that a LiteLLM proxy serves under one model name.
type LiteLLM struct {
	// Model name that clients ask for (model_name).
	Model string `json:"model" jsonschema:"required,minLength=1"`
	// Id of the deployment of the baseline (model_info.id).
	Baseline string `json:"baseline" jsonschema:"required,minLength=1"`
	// Id of the deployment of the candidate.
	Candidate string `json:"candidate" jsonschema:"required,minLength=1"`
}

// Webhook is a service of your own that steers a gateway which swapgate does not know.
type Webhook struct {
	// What is steered, for a service that steers several. It is sent along.
	Target string `json:"target,omitempty" jsonschema:"minLength=1,maxLength=200"`
	// Where the worker finds the key that signs each call (HMAC-SHA256).
	SigningKey *SecretRef `json:"signing_key,omitempty"`
}

// Command is a program on the worker that steers a gateway which swapgate does not know.
type Command struct {
	// Name under which the worker's own configuration (--commands) lists the program. Nothing else of it can be chosen here.
	Name string `json:"name" jsonschema:"required,pattern=^[a-z0-9]([a-z0-9-]{0\\,60}[a-z0-9])?$"`
}
