package aiperf

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// document is what is read of profile_export_aiperf.json.
type document struct {
	Version    string   `json:"aiperf_version"`
	Requests   *summary `json:"request_count"`
	Errors     *summary `json:"error_request_count"`
	Duration   *summary `json:"benchmark_duration"`
	Throughput *summary `json:"output_token_throughput"`
	TTFT       *summary `json:"time_to_first_token"`
	ITL        *summary `json:"inter_token_latency"`
	Latency    *summary `json:"request_latency"`
	Output     *summary `json:"output_sequence_length"`
	Input      *summary `json:"input_sequence_length"`
	Config     struct {
		Endpoint struct {
			Models []string `json:"model_names"`
		} `json:"endpoint"`
		Load struct {
			Concurrency *float64 `json:"concurrency"`
			Rate        *float64 `json:"request_rate"`
		} `json:"loadgen"`
	} `json:"input_config"`
}

type summary struct {
	Unit string   `json:"unit"`
	Avg  *float64 `json:"avg"`
	P10  *float64 `json:"p10"`
	P25  *float64 `json:"p25"`
	P50  *float64 `json:"p50"`
	P75  *float64 `json:"p75"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	Std  *float64 `json:"std"`
}

// Detect reports whether the fields of a JSON object are those of profile_export_aiperf.json.
func Detect(fields map[string]json.RawMessage) bool {
	return fields["request_latency"] != nil && fields["input_config"] != nil && fields["request_count"] != nil
}

// Read reads profile_export_aiperf.json, and takes the requests from records where these are all of them; records may be nil.
func Read(file string, r io.Reader, records *Records) (recorded.Run, error) {
	var d document
	sum, err := recorded.ReadDocument(file, r, &d)
	if err != nil {
		return recorded.Run{}, err
	}
	run := recorded.Run{Name: file, Tool: Tool, Version: d.Version, Profile: "aiperf", SHA256: sum}
	if len(d.Config.Endpoint.Models) > 0 {
		run.Model = d.Config.Endpoint.Models[0]
	}
	p := recorded.NewProblems(file)
	stage := d.stage(p)
	if err := p.Err(); err != nil {
		return recorded.Run{}, err
	}
	planned := stage.Outcomes.Total()
	switch {
	case records == nil:
		run.Notes = append(run.Notes, "profile_export.jsonl is not there, so there are only summaries")
	case len(records.Requests) < planned:
		run.Notes = append(run.Notes, fmt.Sprintf("%s holds %d of the %d requests that the summaries are of, so only the summaries are used",
			records.File, len(records.Requests), planned))
	default:
		run.SHA256, run.Notes = sum+records.SHA256, records.notes()
		stage = records.stage(stage.Level)
	}
	run.Stages = []recorded.Stage{stage}
	return run, nil
}

func (d *document) stage(p *recorded.Problems) recorded.Stage {
	level := recorded.Level{Rate: recorded.Positive(d.Config.Load.Rate).Or(0)}
	if c := recorded.Positive(d.Config.Load.Concurrency).Or(0); c <= math.MaxInt32 {
		level.Concurrency = int(c)
	}
	took := d.Duration.millis(p, "benchmark_duration.avg", (*summary).mean)
	s := recorded.NewSummary(level, swap.Of(took.Or(math.NaN())/1e3))
	s.Count(swap.OK, d.Requests.count(p, "request_count.avg"))
	s.Count(swap.StreamError, d.Errors.count(p, "error_request_count.avg"))
	for _, m := range []struct {
		gate, field string
		of          *summary
	}{{"ttft", "time_to_first_token", d.TTFT}, {"tpot", "inter_token_latency", d.ITL}, {"e2e", "request_latency", d.Latency}} {
		for _, stat := range slices.Sorted(maps.Keys(stats)) {
			s.Figure(m.gate+"_"+stat, m.of.millis(p, m.field+"."+stat, stats[stat]))
		}
	}
	s.Figure("throughput", recorded.Positive(d.Throughput.mean()))
	s.Figure("output_tokens_mean", recorded.Positive(d.Output.mean()))
	if d.Output != nil {
		s.Figure("output_tokens_std", recorded.Positive(d.Output.Std))
		s.Figure("output_tokens_p50", recorded.Positive(d.Output.P50))
	}
	s.PromptTokens = recorded.Positive(d.Input.mean())
	return s
}

// stats are the statistics of a summary by the names of gates.
var stats = map[string]func(*summary) *float64{
	"mean": (*summary).mean,
	"std":  func(s *summary) *float64 { return s.Std },
	"p10":  func(s *summary) *float64 { return s.P10 },
	"p25":  func(s *summary) *float64 { return s.P25 },
	"p50":  func(s *summary) *float64 { return s.P50 },
	"p75":  func(s *summary) *float64 { return s.P75 },
	"p90":  func(s *summary) *float64 { return s.P90 },
	"p95":  func(s *summary) *float64 { return s.P95 },
	"p99":  func(s *summary) *float64 { return s.P99 },
}

func (s *summary) mean() *float64 {
	if s == nil {
		return nil
	}
	return s.Avg
}

// millis is one of a summary's statistics as a length of time.
func (s *summary) millis(p *recorded.Problems, field string, of func(*summary) *float64) swap.Value {
	if s == nil {
		return swap.Absent()
	}
	return (&measure{Value: of(s), Unit: s.Unit}).millis(p, field)
}

func (s *summary) count(p *recorded.Problems, field string) float64 {
	return p.Tokens(field, s.mean()).Or(0)
}
