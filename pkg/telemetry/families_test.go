package telemetry

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadFamiliesSkipsTheRestUnparsed(t *testing.T) {
	body := `# HELP vllm:kv_cache_usage_perc KV cache usage.
# TYPE vllm:kv_cache_usage_perc gauge
  vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc_created{engine="0"} 1.7e9
this line is { broken
vllm:cache_config_info{block_size="16",note="a \"quoted\" } brace"} 1
{"vllm:num_preemptions_total",engine="0"} 3
`
	names := EngineFamilies(KVCacheUsageShare, PreemptionsTotal)
	names["vllm:cache_config_info"] = true
	f, err := ReadFamilies([]byte(body), names)
	require.NoError(t, err)
	require.Equal(t, []Labelled{{
		Labels: map[string]string{"block_size": "16", "note": `a "quoted" } brace`}, Value: 1,
	}}, f.Series("vllm:cache_config_info"))
	require.Empty(t, f.Series("vllm:kv_cache_usage_perc_created"))
	got, err := f.Engine()
	require.NoError(t, err)
	require.Equal(t, []Sample{
		{Metric: KVCacheUsageShare, Origin: "vllm:kv_cache_usage_perc", Value: 0.25},
		{Metric: PreemptionsTotal, Origin: "vllm:num_preemptions_total", Value: 3},
	}, got)
}

func TestReadFamiliesRefuses(t *testing.T) {
	for name, body := range map[string]string{
		"empty":       "\n",
		"html":        "<html>",
		"json":        "[]",
		"cut off":     "a 1\nvllm:kv_cache_usage_perc 0.2",
		"cut in line": "vllm:kv_cache_usage_perc{a=\"b\n",
		"bad value":   "vllm:kv_cache_usage_perc full\n",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := ReadFamilies([]byte(body), EngineFamilies(KVCacheUsageShare))
			require.ErrorIs(t, err, ErrNotMetrics)
			require.Empty(t, f)
		})
	}
}

func TestFamiliesOfAStranger(t *testing.T) {
	f, err := ReadFamilies([]byte("node_load1 1\n"), EngineFamilies(KVCacheUsageShare))
	require.NoError(t, err)
	_, err = f.Engine()
	require.ErrorIs(t, err, ErrNoKnownMetric)
	_, err = f.DCGM()
	require.ErrorIs(t, err, ErrNoKnownMetric)
}

func TestFamiliesOfDCGM(t *testing.T) {
	body := "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"a\"} 40\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"a\"} 50\n"
	f, err := ReadFamilies([]byte(body), DCGMFamilies(GPUUtilizationPercent))
	require.NoError(t, err)
	got, err := f.DCGM()
	require.NoError(t, err)
	require.Equal(t, []Sample{
		{Metric: GPUUtilizationPercent, Origin: "DCGM_FI_DEV_GPU_UTIL", GPU: "0", GPUUUID: "a", Value: 40},
	}, got)
}

func TestFetchSendsTheKey(t *testing.T) {
	srv, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "a 1\n")
	})
	body, err := Fetch(t.Context(), client, srv.URL, "hunter2")
	require.NoError(t, err)
	require.Equal(t, "a 1\n", string(body))
	_, err = Fetch(t.Context(), client, srv.URL, "")
	require.ErrorContains(t, err, "401 Unauthorized; check the key")
}

// FuzzReadFamilies holds the quick reader to the whole one: where the whole page is sound, both see the same.
func FuzzReadFamilies(f *testing.F) {
	for _, seed := range []string{
		"# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine=\"0\"} 0.3\nother 1\n",
		"\t vllm:kv_cache_usage_perc 1 1700000000000\n# a comment\n\n",
		"{\"vllm:kv_cache_usage_perc\",a=\"\\n\"} 1\n", "# TYPE vllm:kv_cache_usage_perc histogram\nvllm:kv_cache_usage_perc_sum 1\n",
		"[{}]", "<html>", "", "vllm:kv_cache_usage_perc 1",
	} {
		f.Add([]byte(seed))
	}
	names := EngineFamilies(KVCacheUsageShare)
	f.Fuzz(func(t *testing.T, body []byte) {
		quick, err := ReadFamilies(body, names)
		if err != nil {
			require.ErrorIs(t, err, ErrNotMetrics)
		}
		whole, wholeErr := parsePage(body)
		// The whole reader takes a page that ends within a comment.
		if wholeErr != nil || body[len(body)-1] != '\n' {
			return
		}
		require.NoError(t, err)
		for name := range names {
			require.Equal(t, fmt.Sprint(whole.read(alias{series: name})), fmt.Sprint(quick.page.read(alias{series: name})))
		}
	})
}

func BenchmarkReadFamilies(b *testing.B) {
	var page strings.Builder
	for i := 0; page.Len() < 200<<10; i++ {
		fmt.Fprintf(&page, "# HELP vllm:family_%d Histogram of something in seconds.\n# TYPE vllm:family_%d histogram\n", i, i)
		for bucket := range 20 {
			fmt.Fprintf(&page, "vllm:family_%d_bucket{engine=\"0\",le=\"%d.0\",model_name=\"m\"} 12.0\n", i, bucket)
		}
	}
	page.WriteString("vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.5\n")
	names := EngineFamilies(KVCacheUsageShare)
	body := []byte(page.String())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := ReadFamilies(body, names)
		require.NoError(b, err)
		_, err = f.Engine()
		require.NoError(b, err)
	}
}
