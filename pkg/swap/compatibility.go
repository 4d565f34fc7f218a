package swap

// CompatRule names what is compared between the arms before a run. The names are a contract: compatibility.accept uses them.
type CompatRule string

// The rules, in the order in which they are shown.
const (
	CompatEngine        CompatRule = "engine"
	CompatVersion       CompatRule = "engine_version"
	CompatContext       CompatRule = "context_length"
	CompatDType         CompatRule = "dtype"
	CompatQuantization  CompatRule = "quantization"
	CompatKVDType       CompatRule = "kv_cache_dtype"
	CompatPrefixCaching CompatRule = "prefix_caching"
	CompatTokenizer     CompatRule = "tokenizer"
	CompatTemplate      CompatRule = "chat_template"
	CompatTensor        CompatRule = "tensor_parallel"
	CompatPipeline      CompatRule = "pipeline_parallel"
	CompatData          CompatRule = "data_parallel"
	CompatMaxRequests   CompatRule = "max_requests"
	CompatGPU           CompatRule = "gpu"
	CompatCUDA          CompatRule = "cuda"
	CompatDriver        CompatRule = "driver"
	CompatTorch         CompatRule = "torch"
	CompatTriton        CompatRule = "triton"
	CompatKernels       CompatRule = "kernel_hit_rate"
)

// CompatRules lists all rules.
var CompatRules = []CompatRule{
	CompatEngine, CompatVersion, CompatContext, CompatDType, CompatQuantization, CompatKVDType, CompatPrefixCaching,
	CompatTokenizer, CompatTemplate, CompatTensor, CompatPipeline, CompatData, CompatMaxRequests, CompatGPU, CompatCUDA,
	CompatDriver, CompatTorch, CompatTriton, CompatKernels,
}

// Difference is one thing in which the two servers differ, and what it means for the comparison.
type Difference struct {
	Rule CompatRule `json:"rule"`
	// Severity is what counts: a blocking difference that was accepted is notable.
	Severity Severity `json:"severity"`
	// Baseline and Candidate are the two values as a person reads them.
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	// Reason is one sentence.
	Reason string `json:"reason"`
	// Next is the way out, for a blocking difference.
	Next string `json:"next,omitempty"`
	// Accepted says that compatibility.accept names the rule.
	Accepted bool `json:"accepted,omitempty"`
}

// Compatibility is what was compared between the two servers before anything was sent to them.
type Compatibility struct {
	// Differences in the order of the rules.
	Differences []Difference `json:"differences"`
	// Same lists the rules by which both servers agree, and Unknown those on which one or both say nothing.
	Same    []CompatRule `json:"same"`
	Unknown []CompatRule `json:"unknown"`
}

// Blocking lists the differences that stop a run.
func (c *Compatibility) Blocking() []Difference {
	if c == nil {
		return nil
	}
	var out []Difference
	for _, d := range c.Differences {
		if d.Severity == Blocking {
			out = append(out, d)
		}
	}
	return out
}
