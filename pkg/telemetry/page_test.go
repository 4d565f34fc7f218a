package telemetry

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePageRefusesWhatIsNotMetrics(t *testing.T) {
	for name, c := range map[string]struct{ body, says string }{
		"empty":       {" \n", "empty"},
		"login page":  {"<!DOCTYPE html><html></html>", "HTML"},
		"json array":  {`[]`, "/prometheus/metrics"},
		"json object": {`{"numActiveRequests": 1}`, "JSON"},
		"prose":       {"all is well\n", "line 1"},
		"broken off":  {"a 1\nb{x=\"", "line 2"},
		"no last eol": {"a 1\nb 2", "line"},
		"carriage":    {"a 1\r\n", "line"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parsePage([]byte(c.body))
			require.ErrorIs(t, err, ErrNotMetrics)
			require.ErrorContains(t, err, c.says)
			require.Nil(t, p, "a page that breaks off gives nothing")
		})
	}
}

func TestParsePageTakesQuotedNames(t *testing.T) {
	p, err := parsePage([]byte("{\"vllm:num_requests_running\"} 2\n"))
	require.NoError(t, err)
	require.Contains(t, p, "vllm:num_requests_running")
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		"vllm:num_requests_running{engine=\"0\"} 3\n",
		"# TYPE tgi_request_input_length histogram\ntgi_request_input_length_sum 4\ntgi_request_input_length_count 1\n",
		"DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"a\"} 3 1700000000000\n",
		"vllm:kv_cache_usage_perc NaN\nvllm:kv_cache_usage_perc{a=\"b\"} +Inf\n",
		"{\"vllm:num_requests_running\",a=\"\\n\"} 1\n", "[{}]", "<html>", "",
	} {
		f.Add([]byte(seed))
	}
	dialects := append(engineDialects(), dcgmExporter())
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := parsePage(body)
		if err != nil {
			require.ErrorIs(t, err, ErrNotMetrics)
			return
		}
		samples, err := recognise(p, dialects)
		require.True(t, len(samples) > 0 || err != nil, "silence is an error")
		for _, s := range samples {
			require.NotEmpty(t, s.Metric)
			require.NotEmpty(t, s.Origin)
			require.False(t, math.IsNaN(s.Value) || math.IsInf(s.Value, 0), "%s from %s", s.Metric, s.Origin)
		}
	})
}
