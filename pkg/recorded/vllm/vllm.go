// Package vllm reads result files of `vllm bench serve --save-result`. With --save-detailed they hold every request, else only
// summaries. Definitions: profile vllm.
package vllm

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
const Tool = "vllm"

const detailed = "record with --save-result --save-detailed"

// document is what is read of a result file. Lists have one element for each request.
type document struct {
	Model          string          `json:"model_id"`
	Rate           json.RawMessage `json:"request_rate"`
	MaxConcurrency *float64        `json:"max_concurrency"`
	Duration       *float64        `json:"duration"`
	Completed      *float64        `json:"completed"`
	Failed         *float64        `json:"failed"`
	Prompts        *float64        `json:"num_prompts"`
	InputTokens    *float64        `json:"total_input_tokens"`
	OutputTokens   *float64        `json:"total_output_tokens"`
	Throughput     *float64        `json:"output_throughput"`

	// Values are pointers, as null stands for one that is missing.
	InputLens  []*float64   `json:"input_lens"`
	OutputLens []*float64   `json:"output_lens"`
	TTFTs      []*float64   `json:"ttfts"`
	ITLs       [][]*float64 `json:"itls"`
	Starts     []*float64   `json:"start_times"`
	Errors     []string     `json:"errors"`

	figures
}

// Detect reports whether the fields of a JSON object are those of a result file.
func Detect(fields map[string]json.RawMessage) bool {
	return fields["model_id"] != nil && fields["completed"] != nil && fields["request_throughput"] != nil
}

// Read reads one result file.
func Read(file string, r io.Reader) (recorded.Run, error) {
	var d document
	sum, err := recorded.ReadDocument(file, r, &d)
	if err != nil {
		return recorded.Run{}, err
	}
	p := recorded.NewProblems(file)
	run := recorded.Run{Name: file, Tool: Tool, Profile: "vllm", Model: d.Model, SHA256: sum}
	level := d.level(p)
	switch {
	case d.Completed == nil:
		p.Add("completed", "give a file of vllm bench serve --save-result", "is missing")
	case d.TTFTs != nil:
		run.Notes = append(run.Notes, d.disagrees()...)
		if requests := d.requests(p); p.Err() == nil {
			run.Stages = []recorded.Stage{recorded.NewStage(level, requests, recorded.Positive(d.Duration))}
		}
	default:
		run.Stages = []recorded.Stage{d.summary(p, level)}
		run.Notes = append(run.Notes, "the file has only summaries: "+detailed)
	}
	if d.TTFTs != nil && d.Starts == nil {
		run.Notes = append(run.Notes, "the file has no start_times, so blocks are stretches of the file; a newer vllm records them")
	}
	if err := p.Err(); err != nil {
		return recorded.Run{}, err
	}
	return run, nil
}

// disagrees notes a count of completed requests that is not that of the requests without an error.
func (d *document) disagrees() []string {
	good := len(d.TTFTs)
	for _, e := range d.Errors {
		if e != "" {
			good--
		}
	}
	if d.Errors == nil || *d.Completed == float64(good) {
		return nil
	}
	return []string{fmt.Sprintf("the file counts %g completed requests, but lists %d without an error; the list is judged",
		*d.Completed, good)}
}

func (d *document) level(p *recorded.Problems) recorded.Level {
	var level recorded.Level
	if c := recorded.Positive(d.MaxConcurrency); c.Valid() && c.Or(0) <= math.MaxInt32 {
		level.Concurrency = int(c.Or(0))
	}
	switch text := string(d.Rate); text {
	case "", "null":
	case `"inf"`, "Infinity":
		if level.Concurrency == 0 {
			level.Name = "all at once"
		}
	default:
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || !(rate > 0) || math.IsInf(rate, 0) {
			p.Add("request_rate", "", "%.40s is no rate: a number above 0 or \"inf\" is", text)
		}
		level.Rate = rate
	}
	return level
}

// requests puts the lists together. All must have one element for each request.
func (d *document) requests(p *recorded.Problems) []recorded.Request {
	n := len(d.TTFTs)
	if n > recorded.MostRequests {
		p.Add("ttfts", "", "has %d requests, more than %d", n, recorded.MostRequests)
		return nil
	}
	for _, list := range []struct {
		field string
		n     int
		must  bool
	}{
		{"itls", len(d.ITLs), true},
		{"output_lens", len(d.OutputLens), true},
		{"input_lens", len(d.InputLens), d.InputLens != nil},
		{"errors", len(d.Errors), d.Errors != nil},
		{"start_times", len(d.Starts), d.Starts != nil},
	} {
		if list.must && list.n != n {
			p.Add(list.field, detailed, "has %d elements, but ttfts has %d", list.n, n)
		}
	}
	if p.Err() != nil {
		return nil
	}
	requests := make([]recorded.Request, n)
	for i := range requests {
		requests[i] = d.request(p, i)
	}
	return requests
}

// request is one of them. The tool writes zeros for a failed request, and no times of an empty one.
func (d *document) request(p *recorded.Problems, i int) recorded.Request {
	r := recorded.Request{OutputTokens: p.Tokens(fmt.Sprintf("output_lens[%d]", i), d.OutputLens[i])}
	if d.InputLens != nil {
		r.PromptTokens = p.Tokens(fmt.Sprintf("input_lens[%d]", i), d.InputLens[i])
	}
	if d.Starts != nil {
		r.Start = p.Clock(fmt.Sprintf("start_times[%d]", i), d.Starts[i])
	}
	if d.Errors != nil && d.Errors[i] != "" {
		r.OutputTokens, r.Outcome = swap.Absent(), recorded.FailedBy(d.Errors[i])
		return r
	}
	if r.OutputTokens.Valid() && r.OutputTokens.Or(0) == 0 {
		r.OutputTokens, r.Outcome = swap.Absent(), swap.Empty
		return r
	}
	r.TTFT = p.Seconds(fmt.Sprintf("ttfts[%d]", i), d.TTFTs[i])
	r.E2E = d.end(p, i)
	r.Outcome = p.Answer(fmt.Sprintf("ttfts[%d]", i), r)
	return r
}

// end is when the last token came: the first token and all gaps, of which none may be missing.
func (d *document) end(p *recorded.Problems, i int) swap.Value {
	if d.TTFTs[i] == nil || d.ITLs[i] == nil {
		return swap.Absent()
	}
	last := *d.TTFTs[i]
	for _, gap := range d.ITLs[i] {
		if gap == nil {
			return swap.Absent()
		}
		if !(*gap >= 0) {
			p.Add(fmt.Sprintf("itls[%d]", i), "", "%g is no length of time", *gap)
			return swap.Absent()
		}
		last += *gap
	}
	return p.Seconds(fmt.Sprintf("itls[%d]", i), &last)
}
