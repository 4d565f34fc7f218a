package swap

// Jitter is what the unusually slow first tokens of both arms look like. It explains and decides nothing: no gate leaves a request
// out because of it.
type Jitter struct {
	Arms PerArm[ArmJitter] `json:"arms"`
}

// ArmJitter is the jitter of one arm.
type ArmJitter struct {
	// Requests are the good requests with a time to first token; Outliers are those of them that are unusually slow in their step.
	Requests int `json:"requests"`
	Outliers int `json:"outliers"`
	// OutlierShare is outliers over requests, with the 95 % interval that heeds how they cluster in blocks.
	OutlierShare Value `json:"outlier_share"`
	ShareLow     Value `json:"share_low"`
	ShareHigh    Value `json:"share_high"`
	// Labels say of each outlier what it looks like; each has one. Labels without an outlier are left out.
	Labels []JitterLabel `json:"labels,omitempty"`
	// Clusters are the outliers that are like each other in the Axes: those that are known of most outliers and differ between them.
	// ClustersMessage says in a clause what was found or why nothing could be.
	Axes            []JitterAxis    `json:"axes,omitempty"`
	Clusters        []JitterCluster `json:"clusters,omitempty"`
	ClustersMessage string          `json:"clusters_message"`
}

// JitterAxis is what outliers are told apart by.
type JitterAxis string

// The axes, in the order of a cluster's medians.
const (
	AxisTTFT         JitterAxis = "ttft"
	AxisGap          JitterAxis = "gap"
	AxisTPOT         JitterAxis = "tpot"
	AxisE2E          JitterAxis = "e2e"
	AxisQueue        JitterAxis = "queue"
	AxisClientLate   JitterAxis = "client_late"
	AxisPromptTokens JitterAxis = "prompt_tokens"
	AxisTimeInStep   JitterAxis = "time_in_step"
)

// JitterKind is what an outlier looks like.
type JitterKind string

// The kinds of jitter, in the order in which they are tried.
const (
	// JitterColdStart is among the first requests of a block, or before the block became steady.
	JitterColdStart JitterKind = "cold_start"
	// JitterPeriodic comes again and again after the same time.
	JitterPeriodic JitterKind = "periodic"
	// JitterGlitch is slow among neighbours in time that are not, as after a lost packet.
	JitterGlitch JitterKind = "glitch"
	// JitterUnexplained is none of them.
	JitterUnexplained JitterKind = "unexplained"
)

// JitterLabel is how many outliers of an arm are of one kind.
type JitterLabel struct {
	Kind  JitterKind `json:"kind"`
	Count int        `json:"count"`
	// Share is of the outliers of the arm.
	Share Value `json:"share"`
	// Rate is of the requests of the arm, with its 95 % interval that heeds blocks.
	Rate     Value `json:"rate"`
	RateLow  Value `json:"rate_low"`
	RateHigh Value `json:"rate_high"`
	// PeriodSeconds is the median period over the blocks that have one; absent for other kinds.
	PeriodSeconds Value `json:"period_s"`
	// Examples are the slowest, at most five.
	Examples []RequestPlace `json:"examples,omitempty"`
}

// JitterCluster is a group of outliers that are like each other, by its medians. One that is known of few outliers is absent.
type JitterCluster struct {
	Count int `json:"count"`
	// TTFTms is the time to first token, GapSeconds the time since the outlier before, TPOTms the time per output token and E2Ems that
	// to the last.
	TTFTms     Value `json:"ttft_ms"`
	GapSeconds Value `json:"gap_s"`
	TPOTms     Value `json:"tpot_ms"`
	E2Ems      Value `json:"e2e_ms"`
	// QueueMS is how long the plan held the request back in the client, ClientLateMS how late the client was by itself.
	QueueMS      Value `json:"queue_ms"`
	ClientLateMS Value `json:"client_late_ms"`
	PromptTokens Value `json:"prompt_tokens"`
	// StepSeconds is the time since the first request of the arm in the step.
	StepSeconds Value          `json:"step_s"`
	Examples    []RequestPlace `json:"examples,omitempty"`
}

// RequestPlace names a request by its place in the raw records: step, block and seq.
type RequestPlace struct {
	Step   int   `json:"step"`
	Block  int   `json:"block"`
	Seq    int   `json:"seq"`
	TTFTms Value `json:"ttft_ms"`
}
