package swap

// WindowStep is how far the weight of a window has come.
type WindowStep struct {
	// Requests of each arm at this weight so far, live ones that the gateway counts included.
	Requests PerArm[int] `json:"requests"`
	// Needed is how many of them the candidate has to have; 0 where the plan does not say.
	Needed int `json:"needed,omitempty"`
	// Sees is the relative rise of P99 that the latencies seen at this weight would show four times in five: 0.5 is 50 %. What is
	// smaller passes unseen. Absent without latencies of both arms.
	Sees Value `json:"sees"`
}

// GuardReading is the gate that is closest to an alarm of the guard.
type GuardReading struct {
	// Gate is its name, with its source where that is not the probes.
	Gate string `json:"gate"`
	// P is its always-valid p-value, corrected for all gates; below 0.01 the guard fires. Slices is what it rests on.
	P      Value `json:"p"`
	Slices int   `json:"slices"`
}

// DecayReading is what the rule of decay made of a window.
type DecayReading struct {
	Rule DecayRule `json:"rule"`
	// Coefficient is α of classic_alpha after the window, or the level aₜ of aci.
	Coefficient float64 `json:"coefficient"`
	// Value was held against Threshold: the fall of α over three windows, or the candidate's TTFT P95 over the baseline's. Both are
	// absent where the window says nothing.
	Value     Value `json:"value"`
	Threshold Value `json:"threshold"`
	// Alarm says that it was above, and for classic_alpha that errors rose too.
	Alarm bool `json:"alarm,omitempty"`
	// Note says why a window says nothing; empty where it does.
	Note string `json:"note,omitempty"`
}
