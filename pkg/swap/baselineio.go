package swap

// ActivityRegisterBaseline is a name of the wire contract, as those in stageio.go.
const ActivityRegisterBaseline = "RegisterBaseline"

// RegisterBaselineInput asks to register what a run that passed measured of the model that now serves.
type RegisterBaselineInput struct {
	Spec    Spec    `json:"spec"`
	Verdict Verdict `json:"verdict"`
}

// Promoted says whether the run gave the candidate all traffic.
func (v Verdict) Promoted() bool {
	return v.Rollout != nil && v.FinalWeights != nil && *v.FinalWeights == Weights{Candidate: 100}
}

// RegisteredBaseline is the place of a run in the history of its target.
type RegisteredBaseline struct {
	// Version counts from 1 within the target; Entry is its document.
	Version int       `json:"version"`
	Entry   ObjectRef `json:"entry"`
	// Arm is the arm that serves now and whose numbers these are.
	Arm Arm `json:"arm"`
	// Reference is the version that later measurements are held against: this one, or an older one while this one is worse.
	Reference int `json:"reference"`
	// Why says what makes this version the reference, or keeps the older one.
	Why string `json:"why"`
	// Findings are what the history says that this run alone does not.
	Findings []Finding `json:"findings,omitempty"`
}
