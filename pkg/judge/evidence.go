package judge

import "github.com/swapgate/swapgate/pkg/swap"

// Evidence is everything that a verdict on the load stage rests on.
type Evidence struct {
	Blocks []Block
	// Gates to judge. None at all is inconclusive, never a pass.
	Gates    []swap.Gate
	Settings swap.Judge
	// Ends says why each step ended.
	Ends []End
	// Planned is the number of blocks that should be there of each arm, over all steps: those planned, or driven until a step
	// ended otherwise.
	Planned swap.PerArm[int]
	// Telemetry is how the telemetry sources did.
	Telemetry []swap.SourceState
	// Instruments is the load client's account of itself in each step. A fault in one forbids a pass and a fail.
	Instruments []Instrument
	// SendLateness is the configured limit of how late the client may send; 0 stands for lateness.LimitMS.
	SendLateness swap.Duration
	// Discarded counts attempts at blocks that were begun and never sealed.
	Discarded int
	// RunToRun is the standard deviation of what two runs of the same thing differ by, on the logarithmic scale (.05 is about 5 %),
	// where one arm was recorded in another run or without blocks; 0 where both were measured in one. It widens every comparison.
	RunToRun float64
	// Recorded is set where the blocks are stretches of runs that were driven apart. It changes no decision, only what is said to do.
	Recorded bool
	// EvidenceSHA256 is the hash of the manifests; it is copied to the comparison.
	EvidenceSHA256 string
}
