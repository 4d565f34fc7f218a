package swap

// NGINX says which file of NGINX's configuration swapgate writes, and how NGINX takes it over. Workers must run where NGINX does.
type NGINX struct {
	// File with the upstream, which swapgate writes and the http section of NGINX's configuration includes.
	File string `json:"file" jsonschema:"required,pattern=^/"`
	// Name of the upstream.
	Upstream string `json:"upstream" jsonschema:"required,minLength=1"`
	// Addresses of the baseline's servers, as NGINX writes them (host:port or unix:/path).
	Baseline []string `json:"baseline" jsonschema:"required,minItems=1"`
	// Addresses of the candidate's servers.
	Candidate []string `json:"candidate" jsonschema:"required,minItems=1"`
	// Further directives of the upstream, such as keepalive 32.
	Directives []string `json:"directives,omitempty"`
	// NGINX's main configuration file, which is checked before every reload.
	Config string `json:"config,omitempty" jsonschema:"pattern=^/"`
	// File with the process id of NGINX's master.
	PIDFile string `json:"pid_file,omitempty" jsonschema:"pattern=^/"`
	// Command of the worker's list that checks the configuration. Left out, nginx -t does.
	Check string `json:"check,omitempty" jsonschema:"minLength=1"`
	// Command of the worker's list that makes NGINX reload. Left out, its master is sent SIGHUP.
	Reload string `json:"reload,omitempty" jsonschema:"minLength=1"`
}
