package rawlog

import "github.com/swapgate/swapgate/pkg/swap"

func canonical() Profile {
	return Profile{
		Name: "canonical",
		Metrics: []ProfileMetric{
			latency("ttft", "first − send", (*Record).TTFT),
			latency("ttft_scheduled", "first − planned send", (*Record).TTFTScheduled),
			latency("ttfv", "visible − send", (*Record).TTFV),
			intervals("itl", "gap of a chunk / its tokens, weighted by them; chunks of one read are one chunk", (*Record).ITL),
			latency("tpot", "(last − first) / (N − 1)", (*Record).TPOT),
			latency("tpot_adjusted", "(last − first) / (N − tokens that came first)", (*Record).TPOTAdjusted),
			latency("e2e", "last − send", (*Record).E2E),
			latency("e2e_stream", "end − send", (*Record).E2EStream),
			intervals("chunk_gap", "gap between non-empty chunks", chunkGaps),
			latency("queue", "held back in the client by the plan's own limits", (*Record).Queue),
			tokens("server's usage", (*Record).Tokens),
		},
		Percentile: (*Distribution).Linear, PercentileMethod: numpyLinear,
		Throughput: overMeasuredTime(),
	}
}

func vLLM() Profile {
	return Profile{
		Name: "vllm",
		Metrics: []ProfileMetric{
			latency("ttft", "role − send: the first chunk with a choice counts, even if it is empty", func(r *Record) swap.Value {
				return ms(r.RoleUS)
			}),
			intervals("itl", "gap between chunks with a choice, the empty first and the finish chunk among them", choiceGaps),
			latency("tpot", "(last chunk with a choice − role) / (N − 1)", func(r *Record) swap.Value {
				return per(r.RoleUS, lastChoice(r), r.OutputTokens, 1)
			}),
			latency("e2e", "last chunk with a choice − send", func(r *Record) swap.Value { return ms(lastChoice(r)) }),
			tokens("server's usage (the tool falls back to its tokenizer)", (*Record).Tokens),
		},
		Percentile: (*Distribution).Linear, PercentileMethod: numpyLinear, Throughput: overDuration(),
	}
}

// lastChoice is the last chunk with a choice.
func lastChoice(r *Record) *int64 {
	last := r.RoleUS
	for _, at := range []*int64{r.LastUS, r.FinishUS} {
		if at != nil && (last == nil || *at > *last) {
			last = at
		}
	}
	return last
}

// choiceGaps are the gaps between chunks with a choice, as far as the record tells: further empty chunks are not in it.
func choiceGaps(r *Record, yield func(float64, int)) {
	if r.FirstUS != nil && r.RoleUS != nil && *r.RoleUS < *r.FirstUS {
		yield(float64(*r.FirstUS-*r.RoleUS)/1e3, 1)
	}
	chunkGaps(r, yield)
	if r.LastUS != nil && r.FinishUS != nil && *r.FinishUS > *r.LastUS {
		yield(float64(*r.FinishUS-*r.LastUS)/1e3, 1)
	}
}

func sgLang() Profile {
	return Profile{
		Name: "sglang",
		Metrics: []ProfileMetric{
			latency("ttft", "first − send (the tool does not count tool calls)", (*Record).TTFT),
			intervals("itl", "gap between non-empty chunks, whatever their tokens (OpenAI interface)", chunkGaps),
			latency("tpot", "(end − first) / (N − 1)", func(r *Record) swap.Value { return per(r.FirstUS, r.EndUS, askedTokens(r), 1) }),
			latency("e2e", "end − send", (*Record).E2EStream),
			tokens("server's usage, else the length that was asked for", func(r *Record) swap.Value {
				return swap.Of(float64(*askedTokens(r)))
			}),
		},
		Percentile: (*Distribution).Linear, PercentileMethod: numpyLinear, Throughput: overDuration(),
	}
}

// askedTokens is the server's usage, or what was asked for.
func askedTokens(r *Record) *int32 {
	if r.OutputTokens == nil {
		return &r.MaxTokens
	}
	return r.OutputTokens
}

func aiPerf() Profile {
	perToken := func(r *Record) swap.Value { return per(r.FirstUS, r.LastUS, r.OutputTokens, 1) }
	return Profile{
		Name: "aiperf",
		Metrics: []ProfileMetric{
			latency("ttft", "first − send", (*Record).TTFT),
			latency("itl", "(last − first) / (N − 1), one a request", perToken),
			intervals("icl", "gap between non-empty chunks", chunkGaps),
			latency("tpot", "the same as itl", perToken),
			latency("e2e", "last − send", (*Record).E2E),
			tokens("server's usage (the tool's default is its own tokenizer)", (*Record).Tokens),
		},
		Percentile: (*Distribution).Linear, PercentileMethod: numpyLinear, Throughput: overDuration(),
	}
}

func guideLLM() Profile {
	itl := func(r *Record) swap.Value { return per(r.FirstUS, r.LastUS, r.OutputTokens, 1) }
	tpot := func(r *Record) swap.Value { return per(new(int64), r.LastUS, r.OutputTokens, 0) }
	return Profile{
		Name: "guidellm",
		Metrics: []ProfileMetric{
			latency("ttft", "first − send, on the wall clock", (*Record).TTFT),
			weighted("itl", "(last − first) / (N − 1), one a request, weighted by N − 1", itl, -1),
			weighted("tpot", "(last − send) / N, so prefill is in it, weighted by N", tpot, 0),
			latency("e2e", "end − send, on the wall clock", (*Record).E2EStream),
			tokens("server's usage", (*Record).Tokens),
		},
		Percentile: (*Distribution).InverseCDF, PercentileMethod: inverseCDF,
		Throughput: overTokens(),
	}
}

func inferencePerf() Profile {
	return Profile{
		Name: "inference-perf",
		Metrics: []ProfileMetric{
			latency("ttft", "visible − send: reasoning does not count (nor do tool calls in the tool)", (*Record).TTFV),
			intervals("itl", "gap of a content chunk split over its tokens", visibleGaps),
			latency("tpot", "(end − visible) / (N − 1)", func(r *Record) swap.Value { return per(r.VisibleUS, r.EndUS, r.OutputTokens, 1) }),
			latency("ntpot", "(end − send) / N", func(r *Record) swap.Value { return per(new(int64), r.EndUS, r.OutputTokens, 0) }),
			latency("e2e", "end − send", (*Record).E2EStream),
			tokens("server's usage (the tool's default is its own tokenizer)", (*Record).Tokens),
		},
		Percentile: (*Distribution).Linear, PercentileMethod: numpyLinear, Throughput: overDuration(),
	}
}

// visibleGaps are the gaps between chunks from the first visible one on, split over their tokens.
func visibleGaps(r *Record, yield func(float64, int)) {
	tokens, known := r.tokensOfChunks()
	if !known || r.FirstUS == nil || r.VisibleUS == nil {
		return
	}
	before := *r.FirstUS
	for k, gap := range r.ChunkGapsUS {
		if n := tokens(k + 1); before >= *r.VisibleUS && n > 0 {
			yield(float64(gap)/1e3/float64(n), int(n))
		}
		before += gap
	}
}
