// Package inferenceperf reads reports of inference-perf: stage_N_lifecycle_metrics.json, summaries of each load stage,
// summary_lifecycle_metrics.json of all of them, and per_request_lifecycle_metrics.json. Definitions: profile inference-perf.
package inferenceperf

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Tool names the format.
const Tool = "inference-perf"

// PerRequestName and SummaryName are what the tool calls its files; StageName matches those of stages.
const (
	PerRequestName = "per_request_lifecycle_metrics.json"
	SummaryName    = "summary_lifecycle_metrics.json"
)

// StageName matches the name of a stage's file and holds its number.
var StageName = regexp.MustCompile(`^stage_(\d{1,6})_lifecycle_metrics\.json$`)

// mostStages is far above what anybody configures.
const mostStages = 1000

// shortOfRate is the share of the asked rate below which a stage was not the load it is named by.
const shortOfRate = .95

// File is one file of a report.
type File struct {
	// Base is its name without folders.
	Base string
	// Name is how a person finds it.
	Name    string
	Content io.Reader
}

// document is what is read of a stage's file.
type document struct {
	Load struct {
		Requested   *float64 `json:"requested_rate"`
		Achieved    *float64 `json:"achieved_rate"`
		Concurrency *float64 `json:"concurrency"`
	} `json:"load_summary"`
	Successes struct {
		Count   *float64 `json:"count"`
		Latency *struct {
			Request *figures `json:"request_latency"`
			TPOT    *figures `json:"time_per_output_token"`
			TTFT    *figures `json:"time_to_first_token"`
		} `json:"latency"`
		Throughput struct {
			Output *float64 `json:"output_tokens_per_sec"`
		} `json:"throughput"`
		PromptLen    *figures `json:"prompt_len"`
		PromptTokens *figures `json:"prompt_tokens"`
		OutputLen    *figures `json:"output_len"`
	} `json:"successes"`
	Failures struct {
		Count *float64 `json:"count"`
	} `json:"failures"`
	Seconds *float64 `json:"benchmark_time_seconds"`
}

// figures are summaries, latencies in seconds.
type figures struct {
	Mean   *float64 `json:"mean"`
	P10    *float64 `json:"p10"`
	P25    *float64 `json:"p25"`
	Median *float64 `json:"median"`
	P75    *float64 `json:"p75"`
	P90    *float64 `json:"p90"`
	P95    *float64 `json:"p95"`
	P99    *float64 `json:"p99"`
}

// Detect reports whether the fields of a JSON object are those of a lifecycle summary.
func Detect(fields map[string]json.RawMessage) bool {
	return fields["load_summary"] != nil && fields["successes"] != nil && fields["failures"] != nil
}

// DetectRequest reports whether the fields of an element are those of per_request_lifecycle_metrics.json.
func DetectRequest(fields map[string]json.RawMessage) bool {
	_, failed := fields["error"]
	return failed && fields["start_time"] != nil && fields["end_time"] != nil
}

// Read reads the files of one report, in any order. Stages come from their files, or else from the summary of all stages; their
// requests from the file of requests, where it holds as many as the stages count.
func Read(name string, files []File) (recorded.Run, error) {
	run := recorded.Run{Name: name, Tool: Tool, Profile: "inference-perf"}
	var stages []numbered
	var whole *numbered
	var perRequest []recorded.Request
	slices.SortFunc(files, func(a, b File) int { return compareNames(a.Base, b.Base) })
	for _, f := range files {
		if f.Base == PerRequestName {
			requests, sum, err := readRequests(f)
			if err != nil {
				return run, err
			}
			perRequest, run.SHA256 = requests, run.SHA256+sum
			continue
		}
		s, sum, err := readStage(f)
		if err != nil {
			return run, err
		}
		run.SHA256 += sum
		if s.number < 0 {
			whole = &s
			continue
		}
		stages = append(stages, s)
	}
	if len(stages) == 0 && whole != nil {
		stages = []numbered{*whole}
		run.Notes = append(run.Notes, "there is no file of a stage, so all load levels are taken together")
	}
	slices.SortFunc(stages, func(a, b numbered) int { return a.number - b.number })
	for _, s := range stages {
		run.Stages = append(run.Stages, s.Stage)
		run.Notes = append(run.Notes, s.notes...)
	}
	return withRequests(run, perRequest)
}

// compareNames sorts by length first, so that stage_10 comes behind stage_9.
func compareNames(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// numbered is a stage with its place; -1 stands for the summary of all.
type numbered struct {
	recorded.Stage
	number int
	notes  []string
}

func readStage(f File) (numbered, string, error) {
	s := numbered{number: -1}
	if m := StageName.FindStringSubmatch(f.Base); m != nil {
		s.number, _ = strconv.Atoi(m[1]) // the pattern holds at most six digits
		if s.number > mostStages {
			return s, "", recorded.Fault(f.Name, "", "is of stage %d; no more than %d are read", s.number, mostStages)
		}
	}
	var d document
	sum, err := recorded.ReadDocument(f.Name, f.Content, &d)
	if err != nil {
		return s, "", err
	}
	p := recorded.NewProblems(f.Name)
	const lifecycle = "give the lifecycle metrics as inference-perf wrote them, not those of Prometheus"
	if d.Successes.Count == nil {
		p.Add("successes.count", lifecycle, "is missing")
	}
	if d.Successes.Latency == nil {
		p.Add("successes.latency", lifecycle, "is missing")
	}
	if err := p.Err(); err != nil {
		return s, "", err
	}
	s.Stage = d.stage(p)
	if s.number < 0 {
		s.Level.Name = "all stages"
	}
	asked, sent := recorded.Positive(d.Load.Requested).Or(0), recorded.Positive(d.Load.Achieved).Or(0)
	if asked > 0 && sent < shortOfRate*asked {
		s.notes = []string{fmt.Sprintf("at %s only %.4g req/s were sent, so the client held requests back", s.Level, sent)}
	}
	return s, sum, p.Err()
}

func (d *document) stage(p *recorded.Problems) recorded.Stage {
	level := recorded.Level{Rate: recorded.Positive(d.Load.Requested).Or(0)}
	if c := recorded.Positive(d.Load.Concurrency).Or(0); c >= 1 && c < 1<<31 {
		level = recorded.Level{Concurrency: int(c)} // the rate beside it is made up by the tool
	}
	s := recorded.NewSummary(level, recorded.Positive(d.Seconds))
	if level.Rate > 0 {
		s.Sent = recorded.Positive(d.Load.Achieved)
	}
	good := p.Tokens("successes.count", d.Successes.Count).Or(0)
	s.Count(swap.OK, good)
	s.Count(swap.StreamError, p.Tokens("failures.count", d.Failures.Count).Or(0))
	if good == 0 {
		return s
	}
	latency := d.Successes.Latency
	latency.TTFT.keep(p, &s, "ttft")
	latency.TPOT.keep(p, &s, "tpot")
	latency.Request.keep(p, &s, "e2e")
	s.Figure("throughput", recorded.Positive(d.Successes.Throughput.Output))
	if out := d.Successes.OutputLen; out != nil {
		for stat, v := range out.named() {
			s.Figure("output_tokens_"+stat, recorded.Positive(v))
		}
	}
	for _, prompts := range []*figures{d.Successes.PromptTokens, d.Successes.PromptLen} {
		if prompts != nil && prompts.Mean != nil {
			s.PromptTokens = recorded.Positive(prompts.Mean)
			break
		}
	}
	return s
}

// keep keeps the figures that gates know or that tell of their spread.
func (f *figures) keep(p *recorded.Problems, s *recorded.Stage, gate string) {
	if f == nil {
		return
	}
	named := f.named()
	for _, stat := range slices.Sorted(maps.Keys(named)) {
		s.Figure(gate+"_"+stat, p.Seconds(gate+" "+stat, named[stat]))
	}
}

func (f *figures) named() map[string]*float64 {
	return map[string]*float64{
		"mean": f.Mean, "p10": f.P10, "p25": f.P25, "p50": f.Median, "p75": f.P75, "p90": f.P90, "p95": f.P95, "p99": f.P99,
	}
}
