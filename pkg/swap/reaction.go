package swap

// Scenario names the weights of the three signals of a reaction.
type Scenario string

// The scenarios. Finance weighs sensitivity, knee and cost .55, .30 and .15; content .25, .50 and .25.
const (
	ScenarioFinance Scenario = "finance"
	ScenarioContent Scenario = "content"
)

// Reaction asks which load step is the highest that keeps three limits: how steeply the P99 of the time to the first token grows
// with the prompt, the knee of the throughput, and what tokens cost. It decides nothing.
type Reaction struct {
	// Weights of the three signals, for a number that puts candidates in an order: finance is .55, .30 and .15, content .25, .50
	// and .25. Left out beside weights, there is none.
	Scenario Scenario `json:"scenario,omitempty" jsonschema:"enum=finance,enum=content"`
	// Your own weights instead of a scenario's.
	Weights *ReactionWeights `json:"weights,omitempty"`
	// Largest growth of the P99 of the time to the first token, in ms per token of the prompt.
	SlopeMSPerToken float64 `json:"slope_ms_per_token,omitempty" jsonschema:"exclusiveMinimum=0,maximum=10000"`
	// Largest cost of 1,000 tokens of good answers, in the currency of price_per_hour.
	CostPer1kTokens float64 `json:"cost_per_1k_tokens,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000"`
	// What each arm's servers cost per hour. Left out, the cost of tokens is not looked at.
	PricePerHour *Prices `json:"price_per_hour,omitempty"`
}

// ReactionWeights weigh the three signals; they sum to 1.
type ReactionWeights struct {
	// Weight of the growth of the P99 with the prompt.
	Sensitivity float64 `json:"sensitivity" jsonschema:"required,exclusiveMinimum=0,maximum=1"`
	// Weight of the knee of the throughput.
	Knee float64 `json:"knee" jsonschema:"required,exclusiveMinimum=0,maximum=1"`
	// Weight of the cost of tokens.
	Cost float64 `json:"cost" jsonschema:"required,exclusiveMinimum=0,maximum=1"`
}

// Prices are what the servers of each arm cost, in any currency.
type Prices struct {
	// Price of the baseline's servers per hour.
	Baseline float64 `json:"baseline,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000000"`
	// Price of the candidate's servers per hour.
	Candidate float64 `json:"candidate,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000000"`
}

// ReactionState says on which side of a limit something is.
type ReactionState string

// The states. A limit is kept or reached where the whole interval says so; it is undecided where the interval holds the limit or
// there is too little evidence, and absent where the plan does not tell the signal at all.
const (
	LimitKept      ReactionState = "kept"
	LimitReached   ReactionState = "reached"
	LimitUndecided ReactionState = "undecided"
	LimitAbsent    ReactionState = "absent"
)

// ReactionResult is how the load steps stand to the three limits. It decided nothing.
type ReactionResult struct {
	// Scenario is empty where the weights are a person's own.
	Scenario Scenario        `json:"scenario,omitempty"`
	Weights  ReactionWeights `json:"weights"`
	// Level is the confidence of each one-sided bound.
	Level Value          `json:"level"`
	Steps []StepReaction `json:"steps"`
	// Recommended has an entry for each kind of load, whose steps can be put in an order.
	Recommended []RecommendedStep `json:"recommended"`
}

// RecommendedStep is the highest load step at which the candidate keeps every limit that is known, among the steps below the
// first at which it reaches that of the P99 or of the knee. What tokens cost falls as the load rises.
type RecommendedStep struct {
	// Steps counts from 1: the steps that were compared, from low to high load.
	Steps []int `json:"steps"`
	// Step is 0 where no step is safe.
	Step int `json:"step"`
	// Message is one sentence for a person.
	Message string `json:"message"`
}

// StepReaction is one load step. The candidate's reaction counts; the baseline's is there to compare with.
type StepReaction struct {
	// Step counts from 1.
	Step  int                 `json:"step"`
	Label string              `json:"label"`
	Arms  PerArm[ArmReaction] `json:"arms"`
}

// ArmReaction is how one arm stands to the three limits at one load step.
type ArmReaction struct {
	// Sensitivity is the growth of the P99 of the time to the first token, in ms per token of the prompt.
	Sensitivity ReactionSignal `json:"sensitivity"`
	// Knee is the load, against that of the knee of the throughput.
	Knee ReactionSignal `json:"knee"`
	// Cost is that of 1,000 tokens of good answers.
	Cost ReactionSignal `json:"cost"`
	// State is reached where any signal is, else undecided where any is or none is known, else kept.
	State ReactionState `json:"state"`
	// Utilisation is the largest of the three.
	Utilisation Value `json:"utilisation"`
	// Rank is the weighted sum of the utilisations, for an order of candidates only; absent where a signal is.
	Rank Value `json:"rank"`
	// Classic is the older rule: the weights of the signals whose estimate is at or beyond its limit. It blocks from 0.5 on.
	Classic       Value `json:"classic"`
	ClassicBlocks bool  `json:"classic_blocks"`
}

// ReactionSignal is one signal against its limit.
type ReactionSignal struct {
	State ReactionState `json:"state"`
	Value Value         `json:"value"`
	Limit Value         `json:"limit"`
	// Utilisation is the value over the limit, Low and High its one-sided bounds; a bound is absent where nothing bounds it.
	Utilisation Value `json:"utilisation"`
	Low         Value `json:"low"`
	High        Value `json:"high"`
	// Message is one clause for a person.
	Message string `json:"message"`
}
