// Package aiperf reads what AIPerf exports: profile_export.jsonl, one request a line, and profile_export_aiperf.json, its
// summaries and settings. Definitions: profile aiperf.
package aiperf

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Tool names the format.
const Tool = "aiperf"

// Records is what one profile_export.jsonl holds.
type Records struct {
	File     string
	SHA256   string
	Requests []recorded.Request
	started  time.Time
	// cancelled counts requests that the tool itself broke off.
	cancelled int
}

// record is a line of profile_export.jsonl.
type record struct {
	Metadata struct {
		StartNS   *int64 `json:"request_start_ns"`
		Phase     string `json:"benchmark_phase"`
		Cancelled bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics struct {
		TTFT    *measure `json:"time_to_first_token"`
		Latency *measure `json:"request_latency"`
		Output  *measure `json:"output_sequence_length"`
		Input   *measure `json:"input_sequence_length"`
	} `json:"metrics"`
	Error *failure `json:"error"`
}

type measure struct {
	Value *float64 `json:"value"`
	Unit  string   `json:"unit"`
}

type failure struct {
	Code    *int   `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

// DetectLine reports whether the fields of a line are those of profile_export.jsonl.
func DetectLine(fields map[string]json.RawMessage) bool {
	return fields["metadata"] != nil && fields["metrics"] != nil
}

// ReadRecords reads profile_export.jsonl. Requests of the warm-up are left out.
func ReadRecords(file string, r io.Reader) (Records, error) {
	out := Records{File: file}
	p := recorded.NewProblems(file)
	sum, err := recorded.EachLine(file, r, func(line int, data []byte) error {
		var rec record
		if err := recorded.DecodeLine(file, line, data, &rec); err != nil {
			return err
		}
		p.Line = line
		out.add(p, &rec)
		if len(out.Requests) > recorded.MostRequests {
			return recorded.Fault(file, "", "has more than %d requests", recorded.MostRequests)
		}
		return nil
	})
	if err == nil {
		err = p.Err()
	}
	if err == nil && len(out.Requests) == 0 {
		err = recorded.Fault(file, "give profile_export.jsonl of a finished run", "has no request of the phase profiling")
	}
	out.SHA256 = sum
	return out, err
}

func (r *Records) add(p *recorded.Problems, rec *record) {
	switch {
	case rec.Metadata.StartNS == nil:
		p.Add("metadata.request_start_ns", "give profile_export.jsonl as aiperf wrote it", "is missing")
		return
	case rec.Metadata.Phase != "" && rec.Metadata.Phase != "profiling":
		return
	case rec.Metadata.Cancelled:
		r.cancelled++
		return
	}
	start := float64(*rec.Metadata.StartNS) / 1e9
	if at := time.Unix(0, *rec.Metadata.StartNS).UTC(); r.started.IsZero() || at.Before(r.started) {
		r.started = at
	}
	request := recorded.Request{
		Start:        p.Clock("metadata.request_start_ns", &start),
		PromptTokens: rec.Metrics.Input.tokens(p, "metrics.input_sequence_length"),
	}
	request.Outcome = rec.outcome()
	if request.Outcome.Good() {
		request.TTFT = rec.Metrics.TTFT.millis(p, "metrics.time_to_first_token")
		request.E2E = rec.Metrics.Latency.millis(p, "metrics.request_latency")
		request.OutputTokens = rec.Metrics.Output.tokens(p, "metrics.output_sequence_length")
		request.Outcome = p.Answer("metrics", request)
	}
	r.Requests = append(r.Requests, request)
}

func (r *record) outcome() swap.Outcome {
	if r.Error == nil {
		return swap.OK
	}
	if r.Error.Code != nil {
		if o, ok := recorded.ByStatus(*r.Error.Code); ok {
			return o
		}
	}
	return recorded.FailedBy(r.Error.Type + ": " + r.Error.Message)
}

// millis reads a length of time in whatever unit it was written.
func (m *measure) millis(p *recorded.Problems, field string) swap.Value {
	if m == nil || m.Value == nil {
		return swap.Absent()
	}
	perUnit, ok := map[string]float64{"ms": 1, "s": 1e3, "sec": 1e3, "us": 1e-3, "ns": 1e-6}[strings.ToLower(m.Unit)]
	if !ok {
		p.Add(field, "", "has the unit %q, of which this version knows nothing", m.Unit)
		return swap.Absent()
	}
	ms := *m.Value * perUnit
	return p.Millis(field, &ms)
}

func (m *measure) tokens(p *recorded.Problems, field string) swap.Value {
	if m == nil {
		return swap.Absent()
	}
	return p.Tokens(field, m.Value)
}

// Run is the run of exported records, without summaries.
func (r Records) Run() recorded.Run {
	run := recorded.Run{Name: r.File, Tool: Tool, Profile: "aiperf", SHA256: r.SHA256}
	run.Notes = r.notes()
	run.Stages = []recorded.Stage{r.stage(recorded.Level{})}
	return run
}

func (r Records) stage(level recorded.Level) recorded.Stage {
	s := recorded.NewStage(level, r.Requests, swap.Absent())
	s.Started = r.started
	return s
}

func (r Records) notes() []string {
	if r.cancelled == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d requests that aiperf broke off were left out; they might have been the slowest", r.cancelled)}
}
