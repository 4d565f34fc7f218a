// Package guidellm reads reports of GuideLLM in JSON: one benchmark for each load level, each with summaries and, unless samples
// were switched off, its requests. Definitions: profile guidellm.
package guidellm

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Tool names the format.
const Tool = "guidellm"

const whole = "give the JSON report as guidellm wrote it"

// document is what is read of a report.
type document struct {
	Metadata struct {
		Version string `json:"guidellm_version"`
	} `json:"metadata"`
	Config struct {
		Spec struct {
			Backend backend `json:"backend"`
		} `json:"spec"`
	} `json:"config"`
	Benchmarks []benchmark `json:"benchmarks"`
}

type backend struct {
	Model string `json:"model"`
}

type benchmark struct {
	Config struct {
		Strategy strategy `json:"strategy"`
		Backend  backend  `json:"backend"`
	} `json:"config"`
	Metrics  metrics  `json:"metrics"`
	Requests requests `json:"requests"`
	Start    *float64 `json:"start_time"`
	Duration *float64 `json:"duration"`
}

type strategy struct {
	Type        string   `json:"type_"`
	Rate        *float64 `json:"rate"`
	Streams     *float64 `json:"streams"`
	Concurrency *float64 `json:"max_concurrency"`
}

type requests struct {
	Successful []request `json:"successful"`
	Errored    []request `json:"errored"`
	Incomplete []request `json:"incomplete"`
}

// request is what is read of a request: values that the tool computed. Times are seconds since 1970, by the wall clock.
type request struct {
	Start   *float64 `json:"request_start_time"`
	Latency *float64 `json:"request_latency"`
	TTFT    *float64 `json:"time_to_first_token_ms"`
	ITL     *float64 `json:"inter_token_latency_ms"`
	Prompt  *float64 `json:"prompt_tokens"`
	Cached  *float64 `json:"cached_tokens"`
	Output  *float64 `json:"output_tokens"`
	Info    struct {
		Error string `json:"error"`
	} `json:"info"`
}

// Detect reports whether the fields of a JSON object are those of a report.
func Detect(fields map[string]json.RawMessage) bool {
	return fields["benchmarks"] != nil && fields["metadata"] != nil
}

// Read reads one report.
func Read(file string, r io.Reader) (recorded.Run, error) {
	var d document
	sum, err := recorded.ReadDocument(file, r, &d)
	if err != nil {
		return recorded.Run{}, err
	}
	run := recorded.Run{
		Name: file, Tool: Tool, Version: d.Metadata.Version, Profile: "guidellm", Model: d.Config.Spec.Backend.Model, SHA256: sum,
	}
	p := recorded.NewProblems(file)
	if len(d.Benchmarks) == 0 {
		p.Add("benchmarks", whole, "is empty")
	}
	for i := range d.Benchmarks {
		b := &d.Benchmarks[i]
		if run.Model == "" {
			run.Model = b.Config.Backend.Model
		}
		stage, note := b.stage(p, fmt.Sprintf("benchmarks[%d]", i))
		if note != "" {
			run.Notes = append(run.Notes, note)
		}
		run.Stages = append(run.Stages, stage)
	}
	if err := p.Err(); err != nil {
		return recorded.Run{}, err
	}
	return run, nil
}

// level reads the strategy: a rate, a number of streams, one request after another, or as much as goes.
func (s strategy) level() recorded.Level {
	streams := recorded.Positive(s.Streams).Or(recorded.Positive(s.Concurrency).Or(0))
	if streams > math.MaxInt32 {
		streams = 0
	}
	switch rate := recorded.Positive(s.Rate); {
	case rate.Valid():
		return recorded.Level{Rate: rate.Or(0), Name: nameless(s.Type, "constant", "async")}
	case s.Type == "synchronous":
		return recorded.Level{Concurrency: 1}
	case s.Type == "concurrent":
		return recorded.Level{Concurrency: int(streams)}
	}
	return recorded.Level{Concurrency: int(streams), Name: s.Type}
}

// nameless leaves out the name of what is usual.
func nameless(name string, usual ...string) string {
	for _, u := range usual {
		if name == u {
			return ""
		}
	}
	return name
}

// stage takes the requests where they are all there, else the summaries; note says why.
func (b *benchmark) stage(p *recorded.Problems, field string) (s recorded.Stage, note string) {
	level := b.Config.Strategy.level()
	totals := b.Metrics.Totals
	good, bad := p.Tokens(field+".metrics.request_totals.successful", totals.Successful).Or(0),
		p.Tokens(field+".metrics.request_totals.errored", totals.Errored).Or(0)
	listed := float64(len(b.Requests.Successful) + len(b.Requests.Errored))
	if listed == 0 || listed < good+bad {
		s = b.summary(p, field, level, good, bad)
		note = fmt.Sprintf("at %s the report holds %.0f of %.0f requests, so only its summaries are used: record with all request samples",
			level, listed, good+bad)
	} else {
		s = recorded.NewStage(level, b.requests(p, field), recorded.Positive(b.Duration))
	}
	if n := totals.Incomplete; n != nil && *n > 0 {
		if note != "" {
			note += "; "
		}
		note += fmt.Sprintf("at %s %.0f requests were cut off by the end of the benchmark and are left out", level, *n)
	}
	if at := recorded.Positive(b.Start).Or(0); at > 0 && at < 1e11 {
		s.Started = time.UnixMilli(int64(at * 1e3)).UTC()
	}
	return s, note
}

func (b *benchmark) requests(p *recorded.Problems, field string) []recorded.Request {
	var all []recorded.Request
	for i := range b.Requests.Successful {
		all = append(all, b.Requests.Successful[i].good(p, fmt.Sprintf("%s.requests.successful[%d].", field, i)))
	}
	for i := range b.Requests.Errored {
		r := &b.Requests.Errored[i]
		all = append(all, recorded.Request{
			Start:   p.Clock(fmt.Sprintf("%s.requests.errored[%d].request_start_time", field, i), r.Start),
			Outcome: recorded.FailedBy(r.Info.Error),
		})
	}
	if len(all) > recorded.MostRequests {
		p.Add(field+".requests", "", "has more than %d requests", recorded.MostRequests)
	}
	return all
}

// good is a successful request. Its end is the last token where the time between tokens tells it, else the end of the answer.
func (r *request) good(p *recorded.Problems, field string) recorded.Request {
	out := recorded.Request{
		Start: p.Clock(field+"request_start_time", r.Start), TTFT: p.Millis(field+"time_to_first_token_ms", r.TTFT),
		E2E: p.Seconds(field+"request_latency", r.Latency), PromptTokens: p.Tokens(field+"prompt_tokens", r.Prompt),
		CachedTokens: p.Tokens(field+"cached_tokens", r.Cached), OutputTokens: p.Tokens(field+"output_tokens", r.Output),
	}
	itl, n := p.Millis(field+"inter_token_latency_ms", r.ITL), out.OutputTokens.Or(0)
	if itl.Or(0) > 0 && out.TTFT.Valid() && n > 1 {
		out.E2E = swap.Of(out.TTFT.Or(0) + itl.Or(0)*(n-1))
	}
	out.Outcome = p.Answer(field, out)
	return out
}
