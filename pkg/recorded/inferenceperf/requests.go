package inferenceperf

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// entry is what is read of a request. Newer versions compute its metrics; older ones keep counts and token times in info.
type entry struct {
	Start    *float64 `json:"start_time"`
	End      *float64 `json:"end_time"`
	Computed *struct {
		TTFT   *float64 `json:"time_to_first_token"`
		TPOT   *float64 `json:"time_per_output_token"`
		Input  *float64 `json:"input_tokens"`
		Output *float64 `json:"output_tokens"`
	} `json:"computed_metrics"`
	Info *struct {
		tokens
		Input    *float64 `json:"input_tokens"`
		Response *tokens  `json:"response_metrics"`
	} `json:"info"`
	Error *struct {
		Type    string `json:"error_type"`
		Message string `json:"error_msg"`
	} `json:"error"`
}

type tokens struct {
	Output *float64   `json:"output_tokens"`
	Times  []*float64 `json:"output_token_times"`
}

func readRequests(f File) ([]recorded.Request, string, error) {
	var entries []entry
	sum, err := recorded.ReadDocument(f.Name, f.Content, &entries)
	if err != nil {
		return nil, "", err
	}
	p := recorded.NewProblems(f.Name)
	if len(entries) == 0 || len(entries) > recorded.MostRequests {
		p.Add("", "give "+PerRequestName+" of a finished run", "has %d requests; 1 to %d are read", len(entries), recorded.MostRequests)
		return nil, "", p.Err()
	}
	requests := make([]recorded.Request, len(entries))
	for i := range entries {
		requests[i] = entries[i].request(p, fmt.Sprintf("[%d].", i))
	}
	return requests, sum, p.Err()
}

func (e *entry) request(p *recorded.Problems, field string) recorded.Request {
	if e.Start == nil || e.End == nil {
		p.Add(field+"start_time", "", "or end_time is missing")
		return recorded.Request{}
	}
	out := recorded.Request{Start: p.Clock(field+"start_time", e.Start)}
	if e.Error != nil {
		out.Outcome = recorded.FailedBy(e.Error.Type + ": " + e.Error.Message)
		return out
	}
	took := *e.End - *e.Start
	out.E2E = p.Seconds(field+"end_time", &took)
	switch {
	case e.Computed != nil:
		out.PromptTokens = p.Tokens(field+"computed_metrics.input_tokens", e.Computed.Input)
		out.OutputTokens = p.Tokens(field+"computed_metrics.output_tokens", e.Computed.Output)
		out.TTFT = p.Seconds(field+"computed_metrics.time_to_first_token", e.Computed.TTFT)
		e.lastToken(p, field, &out)
	case e.Info != nil:
		e.fromInfo(p, field, &out)
	}
	answer := out
	answer.E2E = swap.Absent() // a failed request has an end too
	out.Outcome = p.Answer(field, answer)
	return out
}

// lastToken ends the request at its last token, which the time per token tells.
func (e *entry) lastToken(p *recorded.Problems, field string, out *recorded.Request) {
	tpot, n := p.Seconds(field+"computed_metrics.time_per_output_token", e.Computed.TPOT), out.OutputTokens.Or(0)
	if tpot.Or(0) > 0 && out.TTFT.Valid() && n > 1 {
		out.E2E = swap.Of(out.TTFT.Or(0) + tpot.Or(0)*(n-1))
	}
}

func (e *entry) fromInfo(p *recorded.Problems, field string, out *recorded.Request) {
	t := e.Info.tokens
	if e.Info.Response != nil {
		t = *e.Info.Response
	}
	out.PromptTokens = p.Tokens(field+"info.input_tokens", e.Info.Input)
	out.OutputTokens = p.Tokens(field+"info.output_tokens", t.Output)
	if len(t.Times) > 1 {
		out.TTFT, out.E2E = e.since(p, field, t.Times[0]), e.since(p, field, t.Times[len(t.Times)-1])
	}
}

// since is the time from the start to that of a token, which may be missing.
func (e *entry) since(p *recorded.Problems, field string, at *float64) swap.Value {
	if at == nil {
		return swap.Absent()
	}
	took := *at - *e.Start
	return p.Seconds(field+"info.output_token_times", &took)
}

// withRequests gives the stages their requests. The file of requests does not name stages, but they ran one after another, and
// each counts its own.
func withRequests(run recorded.Run, requests []recorded.Request) (recorded.Run, error) {
	if len(requests) == 0 {
		run.Notes = append(run.Notes, PerRequestName+" is not there, so there are only summaries")
		return run, nil
	}
	if len(run.Stages) == 0 {
		run.Notes = append(run.Notes, "there is no file of a stage, so the load is not known and all requests are one level")
		run.Stages = []recorded.Stage{recorded.NewStage(recorded.Level{}, requests, swap.Absent())}
		return run, nil
	}
	counted := 0
	for i := range run.Stages {
		counted += run.Stages[i].Outcomes.Total()
	}
	if counted != len(requests) {
		run.Notes = append(run.Notes, fmt.Sprintf("%s holds %d requests, but the stages count %d, so only the summaries are used",
			PerRequestName, len(requests), counted))
		return run, nil
	}
	slices.SortStableFunc(requests, func(a, b recorded.Request) int { return cmp.Compare(a.Start.Or(0), b.Start.Or(0)) })
	for i := range run.Stages {
		n := run.Stages[i].Outcomes.Total()
		if n == 0 {
			continue
		}
		run.Stages[i] = recorded.NewStage(run.Stages[i].Level, slices.Clone(requests[:n]), swap.Absent())
		requests = requests[n:]
	}
	return run, nil
}
