package swap

// Activities of a swap in place.
const (
	ActivityInspectModel = "InspectModel"
	ActivitySwapModel    = "SwapModel"
	ActivityRestoreModel = "RestoreModel"
)

// InspectModelInput asks what identifies the baseline while the server still serves it.
type InspectModelInput struct {
	Spec  Spec     `json:"spec"`
	Facts ArmFacts `json:"facts"`
}

// ModelSwapInput asks for a swap under load, observed before, during and after. Facts are of the one server.
type ModelSwapInput struct {
	Spec  Spec     `json:"spec"`
	Facts ArmFacts `json:"facts"`
	// Arm should be served; the other one is.
	Arm Arm `json:"arm"`
	// Index numbers the swaps of a run from 1.
	Index int `json:"index"`
	// Known is what identified each arm when it was served: always of the arm that leaves, and of the other from its second time on.
	Known PerArm[*EngineState] `json:"known"`
}

// ModelSwapResult is a swap with what clients saw of it.
type ModelSwapResult struct {
	Swap ModelSwap `json:"swap"`
	// Transition is absent where the swap was found done, because the attempt that made it was lost with its measurement.
	Transition *Transition `json:"transition,omitempty"`
	// Findings say it to people.
	Findings []Finding `json:"findings,omitempty"`
	// Raw are the requests of the load. The arm of a request is the one that was proven to be served when it was sent.
	Raw ObjectRef `json:"raw"`
}

// RestoreModelInput asks for the baseline as it was, and for the proof that it is.
type RestoreModelInput struct {
	Spec     Spec        `json:"spec"`
	Facts    ArmFacts    `json:"facts"`
	Snapshot EngineState `json:"snapshot"`
}
