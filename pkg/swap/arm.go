package swap

// Arm names one side of the comparison.
type Arm string

// The two arms of every validation.
const (
	Baseline  Arm = "baseline"
	Candidate Arm = "candidate"
)

// Arms lists both arms, baseline first.
var Arms = [2]Arm{Baseline, Candidate}

// Other returns the opposite arm.
func (a Arm) Other() Arm {
	if a == Baseline {
		return Candidate
	}
	return Baseline
}

// ArmHeader is the response header in which swapgate's gateway names the arm that answered.
const ArmHeader = "X-Swapgate-Arm"

// PerArm holds one value for each arm.
type PerArm[T any] struct {
	Baseline  T `json:"baseline"`
	Candidate T `json:"candidate"`
}

// Get returns the value of one arm.
func (p PerArm[T]) Get(a Arm) T {
	if a == Candidate {
		return p.Candidate
	}
	return p.Baseline
}

// Ptr returns a pointer to the value of one arm, for filling it in.
func (p *PerArm[T]) Ptr(a Arm) *T {
	if a == Candidate {
		return &p.Candidate
	}
	return &p.Baseline
}
