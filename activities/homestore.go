package activities

import "github.com/swapgate/swapgate/pkg/swap"

// atHome is the store of the worker's environment where a request names none: a rollback that a person starts by hand in the
// Temporal UI needs to name no more than its target.
func atHome(cfg swap.Store, getenv func(string) string) swap.Store {
	if cfg.Bucket != "" {
		return cfg
	}
	cfg.Bucket = getenv("SWAPGATE_S3_BUCKET")
	if cfg.Endpoint == "" {
		cfg.Endpoint = getenv("SWAPGATE_S3_ENDPOINT")
	}
	const access, secret = "SWAPGATE_S3_ACCESS_KEY", "SWAPGATE_S3_SECRET_KEY" //nolint:gosec // names of variables, not keys
	if cfg.AccessKey == nil && cfg.SecretKey == nil && getenv(access) != "" {
		cfg.AccessKey, cfg.SecretKey = &swap.SecretRef{Env: access}, &swap.SecretRef{Env: secret}
	}
	return cfg
}
