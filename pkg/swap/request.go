package swap

// Request is the single argument of the ValidateSwap workflow.
type Request struct {
	// Spec with every default filled in.
	Spec Spec `json:"spec"`
	// SpecSHA256 is the hash of the canonical JSON of Spec.
	SpecSHA256 string `json:"spec_sha256"`
	// RequestedBy says who or what started the run.
	RequestedBy string `json:"requested_by,omitempty"`
	// Labels are shown with the run: commit, ticket, pipeline URL.
	Labels map[string]string `json:"labels,omitempty"`
	// SearchAttributes says whether the namespace has swapgate's search attributes registered.
	SearchAttributes bool `json:"search_attributes"`
}

// RollbackRequest is the single argument of the RollbackSwap workflow.
type RollbackRequest struct {
	// Target whose traffic goes back.
	Target string `json:"target"`
	// Snapshot to restore. Left out, the newest snapshot of the target.
	Snapshot *ObjectRef `json:"snapshot,omitempty"`
	// SnapshotID names it in place of Snapshot: the id that `swapgate rollback --list` shows, or its beginning.
	SnapshotID string `json:"snapshot_id,omitempty"`
	// Store in which snapshots are kept. Left out, the one of the worker's environment.
	Store Store `json:"store,omitzero"`
	// Reason and RequestedBy are kept with the run.
	Reason      string `json:"reason,omitempty"`
	RequestedBy string `json:"requested_by,omitempty"`
	// SearchAttributes says whether the namespace has swapgate's search attributes registered.
	SearchAttributes bool `json:"search_attributes"`
}

// RollbackResult says what is live after a rollback, as read back from the gateway.
type RollbackResult struct {
	Restored Restored `json:"restored"`
	// Model is what was done inside the one server of a swap in place.
	Model *ModelSwap `json:"model,omitempty"`
}

// ObjectRef points at an object in the run store; histories carry references, never contents.
type ObjectRef struct {
	// URI is s3://bucket/key.
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// Rows is the number of records, for tables.
	Rows int64 `json:"rows,omitempty"`
	// Schema names the layout and its version, such as "requests/v1".
	Schema string `json:"schema"`
}

// RunKey says which run an object belongs to; activities take it from Temporal, so a reset run has prefixes of its own.
type RunKey struct {
	Target string `json:"target"`
	// RunID is Temporal's run id.
	RunID string `json:"run_id"`
}
