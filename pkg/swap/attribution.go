package swap

// Layer is where a difference of latency comes from.
type Layer string

// The layers. Data is how long the answers are, system what a request waits for outside the model, model how fast it is computed.
const (
	LayerData   Layer = "data"
	LayerSystem Layer = "system"
	LayerModel  Layer = "model"
)

// Layers are in the order that breaks ties.
var Layers = []Layer{LayerData, LayerSystem, LayerModel}

// Attribution is which layer carries the difference of latency of the candidate to the baseline, over requests that were answered
// well by both arms at the same place of the schedule. It explains and decides nothing.
type Attribution struct {
	// Requests are the matched pairs of requests, and Pairs the pairs of blocks that they are in.
	Requests int `json:"requests"`
	Pairs    int `json:"pairs"`
	// DeltaMS is the mean difference from the plan to the last token, candidate minus baseline, with its standard error.
	DeltaMS Value `json:"delta_ms"`
	ErrorMS Value `json:"error_ms"`
	// Layers add up to the difference.
	Layers []LayerShare `json:"layers"`
	// Layer carries most of the difference; empty where the difference is not clear of noise.
	Layer Layer `json:"layer,omitempty"`
	// Confidence is the share of resamples of the blocks in which that layer has the largest part.
	Confidence Value `json:"confidence"`
	// TieBroken says that another layer is less than 10 percentage points away, and the order data, system, model decided.
	TieBroken bool `json:"tie_broken,omitempty"`
	// DiffTrace is the older rule: the first of data, system and model that grew at all. It ignores how much.
	DiffTrace Layer `json:"diff_trace,omitempty"`
}

// LayerShare is the part of one layer.
type LayerShare struct {
	Layer   Layer `json:"layer"`
	DeltaMS Value `json:"delta_ms"`
	// Share is of the difference; below 0 where the layer made up for others.
	Share Value `json:"share"`
}
