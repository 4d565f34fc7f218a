package swap

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStepLabels(t *testing.T) {
	for want, s := range map[string]Step{
		"concurrency 8":                   {Concurrency: 8},
		"100000 req/s":                    {Rate: 100_000},
		"1e-05 req/s":                     {Rate: 1e-5},
		"100 req/s":                       {Rate: 100, Arrival: &Arrival{Process: ArrivalPoisson}},
		"100 req/s constant":              {Rate: 100, Arrival: &Arrival{Process: ArrivalConstant}},
		"100 req/s gamma cv 2":            {Rate: 100, Arrival: &Arrival{Process: ArrivalGamma, CV: 2}},
		"100 req/s weibull":               {Rate: 100, Arrival: &Arrival{Process: ArrivalWeibull}},
		"100 req/s trace":                 {Rate: 100, Arrival: &Arrival{Process: ArrivalTrace, Trace: &Trace{File: "/data/a.csv"}}},
		"20 → 100 req/s":                  {Rate: 100, Ramp: &Ramp{From: 20}},
		"100 req/s + spike 400":           {Rate: 100, Spike: &Spike{Rate: 400}},
		"20 → 100 req/s + spike 400":      {Rate: 100, Ramp: &Ramp{From: 20}, Spike: &Spike{Rate: 400}},
		"100 req/s, at most 64 in flight": {Rate: 100, MaxInFlight: 64},
		"KV 92 %":                         {KVShare: 0.92},
		"KV 33.33 %":                      {KVShare: 1.0 / 3},
		"concurrency 8, prompts 512":      {Concurrency: 8, InputTokens: &Lengths{Median: 512}},
		"concurrency 8, answers 64":       {Concurrency: 8, OutputTokens: &Lengths{Median: 64}},
		"concurrency 8, think time 1.5s":  {Concurrency: 8, ThinkTime: Duration(1500 * time.Millisecond)},
		"KV 90 %, at most 8500000 tok/s":  {KVShare: 0.9, TokenRate: &TokenRate{Limit: 8.5e6}},
		"5 req/s + spike 9, prompts 3":    {Rate: 5, Spike: &Spike{Rate: 9}, InputTokens: &Lengths{Median: 3}},
	} {
		require.Equal(t, want, s.Label())
	}
}
