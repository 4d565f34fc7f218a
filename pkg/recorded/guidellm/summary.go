package guidellm

import (
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

type metrics struct {
	Totals struct {
		Successful *float64 `json:"successful"`
		Errored    *float64 `json:"errored"`
		Incomplete *float64 `json:"incomplete"`
	} `json:"request_totals"`
	Latency distribution `json:"request_latency"`
	TTFT    distribution `json:"time_to_first_token_ms"`
	ITL     distribution `json:"inter_token_latency_ms"`
	Output  distribution `json:"output_token_count"`
	Prompt  distribution `json:"prompt_token_count"`
	Rate    distribution `json:"output_tokens_per_second"`
}

// distribution is one metric; only successful requests count.
type distribution struct {
	Successful *struct {
		Mean        *float64            `json:"mean"`
		StdDev      *float64            `json:"std_dev"`
		Count       float64             `json:"count"`
		Percentiles map[string]*float64 `json:"percentiles"`
	} `json:"successful"`
}

// summary is a stage of the tool's own figures.
func (b *benchmark) summary(p *recorded.Problems, field string, level recorded.Level, good, bad float64) recorded.Stage {
	s := recorded.NewSummary(level, recorded.Positive(b.Duration))
	s.Count(swap.OK, good)
	s.Count(swap.StreamError, bad)
	if good == 0 {
		return s
	}
	m := &b.Metrics
	m.TTFT.figures(p, field, &s, "ttft", (*recorded.Problems).Millis)
	m.ITL.figures(p, field, &s, "tpot", (*recorded.Problems).Millis)
	m.Latency.figures(p, field, &s, "e2e", (*recorded.Problems).Seconds)
	s.Figure("output_tokens_mean", m.Output.mean())
	if d := m.Output.Successful; d != nil {
		s.Figure("output_tokens_std", recorded.Positive(d.StdDev))
	}
	s.Figure("throughput", m.Rate.mean())
	s.PromptTokens = m.Prompt.mean()
	return s
}

func (d distribution) mean() swap.Value {
	if d.Successful == nil {
		return swap.Absent()
	}
	return recorded.Positive(d.Successful.Mean)
}

// figures keeps mean and percentiles. A distribution of no values is all zeros, which are no measurements.
func (d distribution) figures(
	p *recorded.Problems, field string, s *recorded.Stage, gate string, read func(*recorded.Problems, string, *float64) swap.Value,
) {
	if d.Successful == nil || d.Successful.Count == 0 {
		return
	}
	s.Figure(gate+"_mean", read(p, field+".metrics."+gate+".mean", d.Successful.Mean))
	s.Figure(gate+"_std", read(p, field+".metrics."+gate+".std_dev", d.Successful.StdDev))
	for _, stat := range []string{"p10", "p25", "p50", "p75", "p90", "p95", "p99"} {
		s.Figure(gate+"_"+stat, read(p, field+".metrics."+gate+"."+stat, d.Successful.Percentiles[stat]))
	}
}
