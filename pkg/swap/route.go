package swap

// RouteKind names a kind of gateway.
type RouteKind string

// RouteSwapgate is swapgate's own weighted gateway (`swapgate sim gateway`).
const RouteSwapgate RouteKind = "swapgate"

// RouteHAProxy is HAProxy, steered through its runtime socket or the Data Plane API.
const RouteHAProxy RouteKind = "haproxy"

// RouteNGINX is NGINX without its commercial API, steered through a file of its configuration.
const RouteNGINX RouteKind = "nginx"

// The kinds that routekinds.go describes.
const (
	RouteHTTPRoute           RouteKind = "http_route"
	RouteInferenceService    RouteKind = "inference_service"
	RouteLLMInferenceService RouteKind = "llm_inference_service"
	RouteVirtualService      RouteKind = "virtual_service"
	RouteLiteLLM             RouteKind = "litellm"
	RouteWebhook             RouteKind = "webhook"
	RouteCommand             RouteKind = "command"
)

// RouteKinds are all kinds of gateways that can be steered, in the order of the documentation.
var RouteKinds = []RouteKind{
	RouteSwapgate, RouteHAProxy, RouteNGINX,
	RouteHTTPRoute, RouteInferenceService, RouteLLMInferenceService, RouteVirtualService, RouteLiteLLM, RouteWebhook, RouteCommand,
}

// Route is the gateway whose weights are set. What only one kind of gateway needs stands in the section of its name.
type Route struct {
	// Kind of gateway.
	Kind RouteKind `json:"kind" jsonschema:"required"`
	// URL that clients use.
	URL string `json:"url" jsonschema:"required,format=uri,pattern=^https?://"`
	// URL of the gateway's admin API, for kinds that have one.
	AdminURL string `json:"admin_url,omitempty" jsonschema:"format=uri,pattern=^https?://"`
	// Where the worker finds the admin API's bearer token.
	AdminToken *SecretRef `json:"admin_token,omitempty"`
	// File of the worker with the certificates (PEM) of the authorities that the admin API's certificate may come from. Left out,
	// those of the worker's system.
	AdminCA string `json:"admin_ca,omitempty" jsonschema:"pattern=^/"`
	// Only for kind haproxy.
	HAProxy *HAProxy `json:"haproxy,omitempty"`
	// Only for kind nginx.
	NGINX *NGINX `json:"nginx,omitempty"`
	// Only for kind http_route.
	HTTPRoute *HTTPRoute `json:"http_route,omitempty"`
	// Only for kind inference_service.
	InferenceService *InferenceService `json:"inference_service,omitempty"`
	// Only for kind llm_inference_service.
	LLMInferenceService *LLMInferenceService `json:"llm_inference_service,omitempty"`
	// Only for kind virtual_service.
	VirtualService *VirtualService `json:"virtual_service,omitempty"`
	// Only for kind litellm.
	LiteLLM *LiteLLM `json:"litellm,omitempty"`
	// Only for kind webhook; it may be left out.
	Webhook *Webhook `json:"webhook,omitempty"`
	// Only for kind command.
	Command *Command `json:"command,omitempty"`
}
