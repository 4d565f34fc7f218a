package swap

import "time"

// SnapshotVersion is the current version of the snapshot document. Documents without one are of version 1.
const SnapshotVersion = 2

// Snapshot is everything needed to go back.
type Snapshot struct {
	// SchemaVersion of the document; 0 in documents of version 1.
	SchemaVersion int       `json:"schema_version,omitempty"`
	Target        string    `json:"target"`
	Taken         time.Time `json:"taken"`
	// Route and Weights are absent for a validation without rollout.
	Route   *Route   `json:"route,omitempty"`
	Weights *Weights `json:"weights,omitempty"`
	// RouteVersion is the gateway's own name of that state, where it has one.
	RouteVersion string `json:"route_version,omitempty"`
	// Arms are the servers as they were.
	Arms PerArm[ArmFacts] `json:"arms"`
	// InPlace is how to make the one server of a swap in place serve what it served; absent where the arms are two servers.
	InPlace *RestoreModelInput `json:"in_place,omitempty"`
	// Proofs say which weights the servers had loaded; empty where no server proves it.
	Proofs []WeightsProof `json:"proofs,omitempty"`
	// SpecSHA256 is the hash of the run's configuration, ServiceSHA256 that of what served: the servers and the gateway.
	SpecSHA256    string `json:"spec_sha256"`
	ServiceSHA256 string `json:"service_sha256,omitempty"`
	// Decay is the coefficient with which the rollout starts; absent where its rule starts with none.
	Decay Value `json:"decay_coefficient,omitzero"`
	// RunID is the run that took it, which is also the id of its verdict.
	RunID       string `json:"run_id"`
	RequestedBy string `json:"requested_by,omitempty"`
}

// WeightsProof is evidence of which weights a server has loaded.
type WeightsProof struct {
	Arm Arm `json:"arm"`
	// Method says what the evidence is, such as fingerprint or weights_id.
	Method string `json:"method"`
	// Identifier is the name under which the weights are served.
	Identifier string `json:"identifier"`
	// Proof is the evidence itself: a digest, a version, a fingerprint.
	Proof string `json:"proof"`
}

// SnapshotHealth says that the run which took a snapshot passed. It is kept beside the snapshot.
type SnapshotHealth struct {
	// SnapshotSHA256 is the hash of the snapshot's document.
	SnapshotSHA256 string `json:"snapshot_sha256"`
	// VerdictID is the run whose verdict it was.
	VerdictID string    `json:"verdict_id"`
	Verdict   Decision  `json:"verdict"`
	Decided   time.Time `json:"decided"`
	// Decay is the coefficient at the end of the rollout; absent without one.
	Decay Value `json:"decay_coefficient,omitzero"`
}

// MarkHealthyInput asks to mark the snapshot of a run that passed.
type MarkHealthyInput struct {
	Target   string         `json:"target"`
	Store    Store          `json:"store"`
	Keep     int            `json:"keep"`
	Snapshot ObjectRef      `json:"snapshot"`
	Health   SnapshotHealth `json:"health"`
}
