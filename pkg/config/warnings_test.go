package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

func TestWarnsOfWhatCannotBeReached(t *testing.T) {
	plain := "{input_tokens: {median: 100, sigma: 0}, output_tokens: {median: 50}}"
	star := "{topology: {shape: star, size: 5}, input_tokens: {median: 100, sigma: 0}, output_tokens: {median: 50}}"
	session := "{topology: {shape: session, size: 5}, input_tokens: {median: 100, sigma: 0}, output_tokens: {median: 50}}"
	for name, c := range map[string]struct {
		workload, step string
		want           []string
	}{
		"room enough":       {plain, "{rate: 10, token_rate: {limit: 1600}}", nil},
		"just enough":       {plain, "{rate: 10, token_rate: {limit: 1500}}", nil},
		"the burst is room": {plain, "{rate: 10, token_rate: {limit: 1490, burst: 1s}}", nil},
		"a slow end of a ramp that is fast": {
			plain, "{rate: 18, ramp: {from: 1}, token_rate: {limit: 1500}}", nil,
		},
		"too few tokens": {plain, "{rate: 10, token_rate: {limit: 1000}}", []string{
			"plans at least about 1500 tok/s (10 req/s of about 150 tokens), and token_rate lets 1000 pass: requests wait in the " +
				"client's queue, longer and longer",
		}},
		"too few for the step's own lengths": {
			plain, "{rate: 10, input_tokens: {median: 10, sigma: 0}, output_tokens: {median: 500}, token_rate: {limit: 1600}}",
			[]string{
				"plans at least about 5100 tok/s (10 req/s of about 510 tokens), and token_rate lets 1600 pass: requests wait in the " +
					"client's queue, longer and longer",
			},
		},
		"enough for the step's own lengths": {
			plain, "{rate: 10, input_tokens: {median: 10, sigma: 0}, output_tokens: {median: 5}, token_rate: {limit: 200}}", nil,
		},
		"too few for a star": {star, "{rate: 10, token_rate: {limit: 1600}}", []string{
			"plans at least about 7500 tok/s (50 req/s of about 150 tokens), and token_rate lets 1600 pass: requests wait in the " +
				"client's queue, longer and longer",
		}},
		"later turns may not be reached": {session, "{rate: 10, token_rate: {limit: 1600}}", nil},
		"a closed loop waits":            {plain, "{concurrency: 10, token_rate: {limit: 5}}", nil},
		"a closed loop waits for longer than a block": {plain, "{concurrency: 10, token_rate: {limit: 1}}", []string{
			"measures at most about 0.4 requests per block: at the 1 tok/s of token_rate, a request of about 150 tokens waits for 150 s",
		}},
		"nearly nothing is planned": {plain, "{rate: 0.001}", []string{
			"measures about 0.06 requests per block, so that many blocks have none",
		}},
		"fewer in flight than a star": {star, "{rate: 10, max_in_flight: 4}", []string{
			"max_in_flight 4 is below the 5 requests that a star sends at once: every star waits in the client's queue",
		}},
		"as many in flight as a star": {star, "{rate: 10, max_in_flight: 5}", nil},
		"lengths of a recording": {
			plain, "{rate: 10, arrival: {process: trace, trace: {file: /t, lengths: true}}, token_rate: {limit: 1000}}", nil,
		},
		"prompts of a file": {"{prompt_file: /p, output_tokens: {median: 50}}", "{rate: 10, token_rate: {limit: 600}}", nil},
		"answers alone are too many": {"{prompt_file: /p, output_tokens: {median: 50}}", "{rate: 10, token_rate: {limit: 400}}", []string{
			"plans at least about 510 tok/s (10 req/s of about 51 tokens), and token_rate lets 400 pass: requests wait in the " +
				"client's queue, longer and longer",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text := minimal + "workload: " + c.workload + "\nload: {block: 60s, settle: 0s, steps: [" + c.step + ", {concurrency: 9, hold: 9m}]}\n"
			spec, err := Parse("swap.yaml", []byte(text), nil)
			require.NoError(t, err)
			e := Estimate(spec)
			require.Len(t, e.Warnings, len(c.want))
			for i, w := range c.want {
				require.Equal(t, PlanWarning{Step: 1, Message: w}, e.Warnings[i])
				require.Contains(t, e.String(), "\nwarning: step 1: "+w)
			}
		})
	}
}

func TestMeanLengthIsThatOfTheLengthsDrawn(t *testing.T) {
	for name, l := range map[string]swap.Lengths{
		"constant": {Median: 300, Max: 4000}, "cut below": {Median: 300, Sigma: 1, Min: 200, Max: 4000},
		"cut above": {Median: 300, Sigma: 1, Max: 400}, "wide": {Median: 300, Sigma: 0.5, Max: 4800},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := workload.New(swap.Workload{API: swap.APIChat, InputTokens: swap.Lengths{Median: 1, Max: 1}, OutputTokens: l})
			require.NoError(t, err)
			const draws = 20_000
			sum := 0
			for i := range uint64(draws) {
				sum += g.At(1, i).MaxTokens
			}
			require.InEpsilon(t, float64(sum)/draws, meanLength(l), 0.03)
		})
	}
	require.InDelta(t, 1, meanLength(swap.Lengths{}), 0, "a length that is not known is at least one token")
}
