package alertrules

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

var update = flag.Bool("update", false, "write the golden files")

func entry(engineName string) registry.Registered {
	level := func(label string, scale float64) registry.Level {
		return registry.Level{
			Label: label, Requests: 20_000, Failed: 8, ThroughputLow: swap.Of(2000 / scale),
			Metrics: []registry.Metric{
				{Metric: swap.MetricTTFT, P95High: swap.Of(180 * scale), P99High: swap.Of(260 * scale)},
				{Metric: swap.MetricE2E, P95High: swap.Of(1800 * scale), P99High: swap.Of(2500 * scale)},
			},
		}
	}
	return registry.Registered{Entry: registry.Entry{
		Target: "chat", Version: 3, Serving: registry.Serving{Model: "meta/Llama-3-8B", Engine: engineName},
		Source: registry.Source{Ended: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)},
		Levels: []registry.Level{level("concurrency 8", 1), level("concurrency 32", 2)},
	}}
}

// The golden files are what make check-alerts gives to Prometheus' own parser.
func TestGolden(t *testing.T) {
	for _, name := range []string{
		engine.VLLM, engine.SGLang, engine.TensorRT, engine.LMDeploy, engine.TGI, engine.Triton, engine.LlamaCPP,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := YAML(entry(name), Options{})
			require.NoError(t, err)
			path := "testdata/" + name + ".yaml"
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
			var doc file
			require.NoError(t, yaml.Unmarshal(got, &doc))
			seen := map[string]bool{}
			for _, r := range doc.Groups[0].Rules {
				require.False(t, seen[r.Alert], r.Alert)
				seen[r.Alert] = true
				require.Equal(t, strings.Count(r.Expr, "("), strings.Count(r.Expr, ")"), r.Expr)
				require.Contains(t, []string{page, ticket}, r.Labels["severity"])
			}
		})
	}
}

func exprs(t *testing.T, e registry.Registered, o Options) map[string]string {
	t.Helper()
	got, err := YAML(e, o)
	require.NoError(t, err)
	var doc file
	require.NoError(t, yaml.Unmarshal(got, &doc))
	found := map[string]string{}
	for _, r := range doc.Groups[0].Rules {
		found[r.Alert] = r.Expr
	}
	return found
}

func TestLimitsAreThoseOfTheBaseline(t *testing.T) {
	got := exprs(t, entry(engine.VLLM), Options{Load: "concurrency 8", Selector: `job="chat", pod=~"a|b"`})
	require.Equal(t, "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket"+
		`{job="chat", pod=~"a|b"}[10m]))) > 0.25`,
		got["SwapgateSlowFirstTokenP95"], "180 ms, raised to the end of a bucket")
	require.True(t, strings.HasSuffix(got["SwapgateSlowRequestP99"], " > 2.5"), "an end of a bucket already")
	require.Contains(t, got["SwapgateErrorBudgetBurn1h"], `http_requests_total{job="chat", pod=~"a|b", handler=~"/v1/.*", status="5xx"}[1h]`)
	require.Contains(t, got["SwapgateErrorBudgetBurn1h"], "> 0.0144 and ", "14.4 times 0.1 %")
	require.Contains(t, got["SwapgateLowThroughput"], "< 2000 and ")

	unaligned := exprs(t, entry(engine.SGLang), Options{})
	require.True(t, strings.HasSuffix(unaligned["SwapgateSlowFirstTokenP95"], " > 0.36"), "the last level, and buckets that are not known")
}

func TestErrorBudget(t *testing.T) {
	require.InDelta(t, .001, budgetOf(registry.Level{}), 0)
	require.InDelta(t, .001, budgetOf(registry.Level{Requests: 100}), 0, "few requests without a failure allow no more")
	require.InDelta(t, .0263, budgetOf(registry.Level{Requests: 1000, Failed: 18}), .0001)
	got := exprs(t, entry(engine.TGI), Options{ErrorBudget: .2})
	require.NotContains(t, got, "SwapgateErrorBudgetBurn1h", "more than every request cannot fail")
	require.Contains(t, got["SwapgateErrorBudgetBurn1d"], "> 0.6 and ")
}

func TestWhatIsRefused(t *testing.T) {
	nothing, fewNumbers := entry(engine.VLLM), entry(engine.LlamaCPP)
	nothing.Levels, fewNumbers.Levels = nil, make([]registry.Level, 1)
	for name, test := range map[string]struct {
		entry registry.Registered
		o     Options
	}{
		"no such load":      {entry(engine.VLLM), Options{Load: "concurrency 9"}},
		"no matchers":       {entry(engine.VLLM), Options{Selector: `job=chat`}},
		"escape":            {entry(engine.VLLM), Options{Selector: `job="a"} or vector(1) #`}},
		"budget":            {entry(engine.VLLM), Options{ErrorBudget: 1}},
		"unknown engine":    {entry("house"), Options{}},
		"nothing measured":  {nothing, Options{}},
		"no number is left": {fewNumbers, Options{}},
	} {
		_, err := YAML(test.entry, test.o)
		require.ErrorIs(t, err, ErrNoRules, name)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("meta/Llama-3-8B", `job="x"`)
	f.Add("a\"} or vector(1) #\n", ``)
	f.Fuzz(func(t *testing.T, model, selector string) {
		e := entry(engine.VLLM)
		e.Serving.Model = model
		got, err := YAML(e, Options{Selector: selector})
		if err != nil {
			return
		}
		var doc file
		require.NoError(t, yaml.Unmarshal(got, &doc), "%s", got)
		require.Len(t, doc.Groups[0].Rules, 9)
	})
}
