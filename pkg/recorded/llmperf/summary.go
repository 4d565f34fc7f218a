package llmperf

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// agreement is how far a summary may be from what its requests give, as a share and in its unit: six decimals.
const agreement = 1e-6

// Summarise computes the figures of a summary, by their names in the file, as the tool does: of the requests without an error,
// percentiles of type 7, a standard deviation with n − 1 in the denominator (both are the defaults of pandas).
func Summarise(responses []Response) map[string]float64 {
	out := map[string]float64{}
	for name, of := range columns {
		var values []float64
		for i := range responses {
			if v := of(&responses[i]); v != nil && responses[i].ErrorCode == nil {
				values = append(values, *v)
			}
		}
		if len(values) == 0 {
			continue
		}
		for _, q := range []int{25, 50, 75, 90, 95, 99} {
			out[fmt.Sprintf("results_%s_quantiles_p%d", name, q)] = stats.Quantiles(values, float64(q)/100)[0]
		}
		out["results_"+name+"_mean"] = stats.Mean(values)
		out["results_"+name+"_min"], out["results_"+name+"_max"] = slices.Min(values), slices.Max(values)
		if sd := stats.StandardDeviation(values); !math.IsNaN(sd) {
			out["results_"+name+"_stddev"] = sd
		}
	}
	return out
}

var columns = map[string]func(*Response) *float64{
	"inter_token_latency_s":                 func(r *Response) *float64 { return r.ITL },
	"ttft_s":                                func(r *Response) *float64 { return r.TTFT },
	"end_to_end_latency_s":                  func(r *Response) *float64 { return r.E2E },
	"request_output_throughput_token_per_s": func(r *Response) *float64 { return r.Throughput },
	"number_input_tokens":                   func(r *Response) *float64 { return r.Input },
	"number_output_tokens":                  func(r *Response) *float64 { return r.Output },
}

// document is a summary.
type document struct {
	file   string
	fields map[string]json.RawMessage
}

func (d document) text(field string) string {
	var s string
	if json.Unmarshal(d.fields[field], &s) != nil {
		return ""
	}
	return s
}

func (d document) number(field string) swap.Value {
	v, ok := number(d.fields[field])
	if !ok {
		return swap.Absent()
	}
	return swap.Of(v)
}

func (d document) level() recorded.Level {
	c := d.number("num_concurrent_requests").Or(0)
	if !(c >= 1 && c <= math.MaxInt32) {
		return recorded.Level{}
	}
	return recorded.Level{Concurrency: int(c)}
}

// agrees holds the summary to its requests.
func (d document) agrees(responses []Response) error {
	p := recorded.NewProblems(d.file)
	computed := Summarise(responses)
	for _, name := range slices.Sorted(maps.Keys(computed)) {
		want, got := d.number(name), computed[name]
		if want.Valid() && math.Abs(want.Or(0)-got) > agreement*max(1, math.Abs(got)) {
			p.Add(name, "give the summary and the individual responses of one run", "is %g, but the individual responses give %g", want.Or(0), got)
		}
	}
	return p.Err()
}

// stage is a stage of the summary alone.
func (d document) stage() (recorded.Stage, error) {
	p := recorded.NewProblems(d.file)
	s := recorded.NewSummary(d.level(), swap.Absent())
	good := d.count(p, "results_num_completed_requests")
	s.Count(swap.OK, good)
	s.Count(swap.StreamError, d.count(p, "results_number_errors"))
	for gate, name := range map[string]string{"ttft": "ttft_s", "e2e": "end_to_end_latency_s"} {
		for stat, field := range map[string]string{
			"mean": "mean", "p50": "quantiles_p50", "p90": "quantiles_p90", "p95": "quantiles_p95", "p99": "quantiles_p99",
		} {
			field = "results_" + name + "_" + field
			if v, ok := d.number(field).Get(); ok && good > 0 {
				s.Figure(gate+"_"+stat, p.Seconds(field, &v))
			}
		}
	}
	s.Figure("output_tokens_mean", d.number("results_number_output_tokens_mean"))
	s.Figure("output_tokens_p50", d.number("results_number_output_tokens_quantiles_p50"))
	s.Figure("throughput", d.number("results_mean_output_throughput_token_per_s"))
	s.PromptTokens = d.number("results_number_input_tokens_mean")
	return s, p.Err()
}

func (d document) count(p *recorded.Problems, field string) float64 {
	v, ok := d.number(field).Get()
	if !ok {
		return 0
	}
	return p.Tokens(field, &v).Or(0)
}
