package swap

// HAProxy says where HAProxy is steered, and which servers of which backend are the arms. The backend balances with roundrobin.
type HAProxy struct {
	// Runtime socket of level admin, unix:///path or tcp://host:port. Left out, admin_url is that of a Data Plane API.
	Socket string `json:"socket,omitempty" jsonschema:"pattern=^(unix|tcp)://"`
	// Backend that holds the servers of both arms and no others that serve.
	Backend string `json:"backend" jsonschema:"required,minLength=1"`
	// Servers of the baseline. A name that ends in * stands for all servers whose names begin so.
	Baseline []string `json:"baseline" jsonschema:"required,minItems=1"`
	// Servers of the candidate, named as those of the baseline.
	Candidate []string `json:"candidate" jsonschema:"required,minItems=1"`
	// User of the Data Plane API, whose password is admin_token.
	User string `json:"user,omitempty"`
}
