// Package llmperf reads results of LLMPerf: …_individual_responses.json (the leaderboard's raw_data/individual), one request an
// element, and …_summary.json. It has no profile of package rawlog; its time to first token is the first non-empty content, its
// inter_token_latency_s is the mean of TTFT and all gaps and is not used.
package llmperf

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Tool names the format.
const Tool = "llmperf"

const whole = "give the list of individual responses as llmperf wrote it"

// Response is one element of the individual responses.
type Response struct {
	ErrorCode  *float64 `json:"error_code"`
	ErrorMsg   string   `json:"error_msg"`
	ITL        *float64 `json:"inter_token_latency_s"`
	TTFT       *float64 `json:"ttft_s"`
	E2E        *float64 `json:"end_to_end_latency_s"`
	Throughput *float64 `json:"request_output_throughput_token_per_s"`
	Output     *float64 `json:"number_output_tokens"`
	Input      *float64 `json:"number_input_tokens"`
}

// Detect reports whether the fields of an element are those of an individual response.
func Detect(fields map[string]json.RawMessage) bool {
	return fields["ttft_s"] != nil && fields["end_to_end_latency_s"] != nil
}

// DetectSummary reports whether the fields of a JSON object are those of a summary.
func DetectSummary(fields map[string]json.RawMessage) bool {
	return fields["results_ttft_s_mean"] != nil || fields["results_number_errors"] != nil
}

// ReadResponses reads the individual responses.
func ReadResponses(file string, r io.Reader) ([]Response, string, error) {
	var all []Response
	sum, err := recorded.ReadDocument(file, r, &all)
	switch {
	case err != nil:
	case len(all) == 0:
		err = recorded.Fault(file, whole, "has no request")
	case len(all) > recorded.MostRequests:
		err = recorded.Fault(file, "", "has %d requests, more than %d", len(all), recorded.MostRequests)
	}
	return all, sum, err
}

// Read makes a run of the individual responses and of the summary beside them. Either reader may be nil. A summary that is of other
// requests is an error.
func Read(file string, individual io.Reader, summaryFile string, summary io.Reader) (recorded.Run, error) {
	run := recorded.Run{Name: file, Tool: Tool, Profile: "llmperf"}
	var d document
	if summary != nil {
		sum, err := recorded.ReadDocument(summaryFile, summary, &d.fields)
		if err != nil {
			return run, err
		}
		run.SHA256 = sum
		d.file = summaryFile
		run.Model = d.text("model")
	}
	if individual == nil {
		run.Name = summaryFile
		run.Notes = []string{"the file has only summaries: give the individual responses beside it"}
		stage, err := d.stage()
		run.Stages = []recorded.Stage{stage}
		return run, err
	}
	responses, sum, err := ReadResponses(file, individual)
	if err != nil {
		return run, err
	}
	run.SHA256 += sum
	if summary != nil {
		if err := d.agrees(responses); err != nil {
			return run, err
		}
	}
	p := recorded.NewProblems(file)
	run.Stages = []recorded.Stage{recorded.NewStage(d.level(), requests(p, responses), swap.Absent())}
	return run, p.Err()
}

func requests(p *recorded.Problems, responses []Response) []recorded.Request {
	all := make([]recorded.Request, len(responses))
	for i := range responses {
		all[i] = responses[i].request(p, fmt.Sprintf("[%d].", i))
	}
	return all
}

// request reads one. The tool writes zeros for a failed one.
func (r *Response) request(p *recorded.Problems, field string) recorded.Request {
	out := recorded.Request{PromptTokens: p.Tokens(field+"number_input_tokens", r.Input)}
	if r.ErrorCode != nil || r.ErrorMsg != "" {
		out.Outcome = recorded.FailedBy(r.ErrorMsg)
		if r.ErrorCode != nil && math.Abs(*r.ErrorCode) < 1000 {
			if o, ok := recorded.ByStatus(int(*r.ErrorCode)); ok {
				out.Outcome = o
			}
		}
		return out
	}
	out.TTFT, out.E2E = p.Seconds(field+"ttft_s", r.TTFT), p.Seconds(field+"end_to_end_latency_s", r.E2E)
	out.OutputTokens = p.Tokens(field+"number_output_tokens", r.Output)
	out.Outcome = p.Answer(field, out)
	return out
}

// number reads a field that is a number, or a number in a string as pandas leaves some.
func number(raw json.RawMessage) (float64, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
