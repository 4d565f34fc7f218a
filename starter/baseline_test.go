package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// registeredSite is a store with the history of chat: a, then b that is 4 % slower. It returns a specification for it.
func registeredSite(t *testing.T) (file string) {
	t.Helper()
	cfg := localtest.S3(t)
	store, err := runstore.Open(cfg)
	require.NoError(t, err)
	defer store.Close()
	level := registry.Level{Step: 1, Label: "concurrency 8", Requests: 1000, Metrics: []registry.Metric{
		{Metric: swap.MetricTTFT, N: 1000, P95: swap.Of(100), P95High: swap.Of(110), P99High: swap.Of(200)},
	}}
	gate := swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP95, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}
	measured := func(model string) registry.Measured {
		return registry.Measured{Serving: registry.Serving{Model: model, Engine: "vllm"}, Levels: []registry.Level{level}}
	}
	ended := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	_, err = registry.Register(t.Context(), store, registry.Draft{
		Target: "chat",
		Source: registry.Source{RunID: "run-1", WorkSHA256: "w", Promoted: true, Started: ended.Add(-time.Hour), Ended: ended, Recorded: ended},
		Arms:   swap.PerArm[registry.Measured]{Baseline: measured("a"), Candidate: measured("b")},
		Gates: []swap.GateResult{{
			Gate: gate, Decision: swap.Pass, Change: swap.Of(.04), Low: swap.Of(.03), High: swap.Of(.05),
		}},
	})
	require.NoError(t, err)
	spec, err := json.Marshal(map[string]any{
		"target": "chat", "store": cfg,
		"baseline": map[string]string{"url": "http://a", "model": "a"}, "candidate": map[string]string{"url": "http://b", "model": "b"},
	})
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "swap.yaml")
	require.NoError(t, os.WriteFile(file, spec, 0o600))
	return file
}

func TestBaselineCommands(t *testing.T) {
	file := registeredSite(t)
	ask := func(args ...string) outcome {
		return swapgate(t.Context(), offline(t), append([]string{"baseline"}, append(args, "-f", file)...)...)
	}
	list := ask("list", "chat")
	require.Equal(t, 0, list.code, list.stderr)
	lines := strings.Split(list.stdout, "\n")
	require.Regexp(t, `^2 +1 +2026-05-01 12:00:00 +b +vllm +worse than version 1, though within`, lines[1])
	require.Regexp(t, `^1 +itself +2026-05-01 12:00:00 +a +vllm +no earlier run`, lines[2])

	var summaries []baselineSummary
	require.NoError(t, json.Unmarshal([]byte(ask("list", "chat", "--last", "1", "-o", "json").stdout), &summaries))
	require.Len(t, summaries, 1)
	require.Equal(t, 1, summaries[0].Reference)
	require.Equal(t, swap.Candidate, summaries[0].Arm)

	show := ask("show", "chat")
	require.Contains(t, show.stdout, "chat version 2: b on vllm (size unknown)\nreference: version 1; worse")
	require.Contains(t, show.stdout, "since the reference: ttft_p95 +4.0 %")
	require.Contains(t, show.stdout, "concurrency 8: 1000 requests")
	var entry registry.Registered
	require.NoError(t, json.Unmarshal([]byte(ask("show", "chat", "--version", "1", "-o", "json").stdout), &entry))
	require.Equal(t, "a", entry.Serving.Model)

	alerts := ask("alerts", "chat")
	require.Equal(t, 0, alerts.code, alerts.stderr)
	require.Contains(t, alerts.stdout, "from version 1 of the baseline of chat", "the reference, not what serves")
	require.Contains(t, alerts.stdout, `vllm:time_to_first_token_seconds_bucket{model_name="a"}`)
	require.Contains(t, ask("alerts", "chat", "--version", "2", "--selector", `job="x"`).stdout, `_bucket{job="x"}`)

	accepted := ask("accept", "chat", "--reason", "worth it")
	require.Equal(t, 0, accepted.code, accepted.stderr)
	require.Equal(t, "chat: version 3 is the reference; accepted by "+"ada", strings.SplitN(accepted.stdout, "@", 2)[0])
	require.Contains(t, ask("alerts", "chat").stdout, "from version 3")
	require.Regexp(t, `(?m)^3 +itself .* accepted by ada@.*: worth it$`, ask("list", "chat").stdout)
	require.Regexp(t, `(?m)^reference: version 3; accepted by ada@.*: worth it$`, ask("show", "chat").stdout)
	again := ask("accept", "chat", "--reason", "twice")
	require.Equal(t, 0, again.code, again.stderr)
	require.Contains(t, again.stdout, "chat: version 3 was the reference already, so nothing was changed; accepted by ada@")
	var same acceptance
	require.NoError(t, json.Unmarshal([]byte(ask("accept", "chat", "--reason", "twice", "-o", "json").stdout), &same))
	require.False(t, same.Changed)
	require.Equal(t, 3, same.Version)

	scores := ask("scores", "chat", "--metric", "ttft")
	require.Equal(t, 0, scores.code, scores.stderr)
	require.Regexp(t, `(?m)^chat +b +concurrency 8 +n/a +unknown +n/a +n/a +its size or its P99 is not known$`, scores.stdout)

	for _, bad := range []struct {
		args []string
		says string
	}{
		{[]string{"scores"}, "takes at least one TARGET"},
		{[]string{"scores", "nobody"}, "no registered baseline of target nobody"},
		{[]string{"show", "chat", "--version", "9"}, "no version 9 of target chat: versions are 1 to 3"},
		{[]string{"alerts", "chat", "--version", "9"}, "no version 9 of target chat: versions are 1 to 3"},
		{[]string{"show", "other"}, `is about target "chat", not "other"`},
		{[]string{"alerts", "chat", "--load", "concurrency 9"}, "was measured at concurrency 8"},
		{[]string{"list", "chat", "--last", "0"}, "--last 0"},
		{[]string{"accept", "chat"}, "--reason is required"},
		{[]string{"list", "chat", "-o", "xml"}, `unknown format "xml"`},
	} {
		got := ask(bad.args...)
		require.Equal(t, 64, got.code, "%v: %s", bad.args, got.stderr)
		require.Contains(t, got.stderr, bad.says)
	}
}

func TestBaselineNeedsAStore(t *testing.T) {
	got := swapgate(t.Context(), offline(t), "baseline", "list", "chat")
	require.Equal(t, 64, got.code)
	require.Contains(t, got.stderr, "say where the history is: -f swap.yaml, or --store-bucket")
	got = swapgate(t.Context(), append(offline(t), "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=y"),
		"baseline", "list", "chat", "--store-bucket", "runs", "--store-endpoint", "http://127.0.0.1:1")
	require.Equal(t, 69, got.code, got.stderr)
}

func TestScoresOfTargets(t *testing.T) {
	cfg := localtest.S3(t)
	store, err := runstore.Open(cfg)
	require.NoError(t, err)
	defer store.Close()
	var targets []string
	for i := range 8 {
		target := fmt.Sprintf("chat-%d", i)
		level := registry.Level{Label: "concurrency 8", Metrics: []registry.Metric{{Metric: swap.MetricE2E, P99: swap.Of(100 + 10*float64(i))}}}
		_, err := registry.Register(t.Context(), store, registry.Draft{
			Target: target, Source: registry.Source{RunID: "r", WorkSHA256: "w", Started: time.Now()},
			Arms: swap.PerArm[registry.Measured]{Baseline: registry.Measured{
				Serving: registry.Serving{Model: "m-8b-fp8", Billions: swap.Of(8)}, Levels: []registry.Level{level},
			}},
		})
		require.NoError(t, err)
		targets = append(targets, target)
	}
	scores, err := scoresOf(t.Context(), store, targets, swap.MetricE2E)
	require.NoError(t, err)
	require.InDelta(t, -1.53, scores[0].Z.Or(0), .01)
	require.InDelta(t, 1.53, scores[7].Z.Or(0), .01)
	require.Positive(t, scores[7].Robust.Or(0))
	require.Contains(t, scoresTable(scores), "small, 16 GFLOPs a token, 8 bits")
	few, err := scoresOf(t.Context(), store, targets[:2], swap.MetricE2E)
	require.NoError(t, err)
	require.Contains(t, few[0].Refusal, "2 models")
}
