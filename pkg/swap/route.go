package swap

// RouteKind names a kind of gateway.
type RouteKind string

// RouteSwapgate is swapgate's own weighted gateway (`swapgate sim gateway`).
const RouteSwapgate RouteKind = "swapgate"

// RouteHAProxy is HAProxy, steered through its runtime socket or the Data Plane API.
const RouteHAProxy RouteKind = "haproxy"

// RouteKinds are all kinds of gateways that can be steered, in the order of the documentation.
var RouteKinds = []RouteKind{RouteSwapgate, RouteHAProxy}

// Route is the gateway whose weights are set. What only one kind of gateway needs stands in the section of its name.
type Route struct {
	// Kind of gateway.
	Kind RouteKind `json:"kind" jsonschema:"required,enum=swapgate,enum=haproxy"`
	// URL that clients use.
	URL string `json:"url" jsonschema:"required,format=uri,pattern=^https?://"`
	// URL of the gateway's admin API, for kinds that have one.
	AdminURL string `json:"admin_url,omitempty" jsonschema:"format=uri,pattern=^https?://"`
	// Where the worker finds the admin API's bearer token.
	AdminToken *SecretRef `json:"admin_token,omitempty"`
	// Only for kind haproxy.
	HAProxy *HAProxy `json:"haproxy,omitempty"`
}
