package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/recorded/inferenceperf"
)

const (
	vllmText     = `{"model_id": "m", "completed": 1, "request_throughput": 1, "request_rate": 2}`
	aiperfLine   = `{"metadata": {"request_start_ns": 1}, "metrics": {"request_latency": {"value": 1, "unit": "ms"}}, "error": null}` + "\n"
	aiperfText   = `{"request_latency": {}, "input_config": {}, "request_count": {"avg": 1}}`
	guideText    = `{"metadata": {}, "benchmarks": [{"metrics": {"request_totals": {"successful": 1}}}]}`
	stageText    = `{"load_summary": {"requested_rate": 2}, "successes": {"count": 1, "latency": {}}, "failures": {"count": 0}}`
	requestsText = `[{"start_time": 1, "end_time": 2, "error": null, "computed_metrics": {"output_tokens": 3}}]`
	llmperfText  = `[{"ttft_s": 1, "end_to_end_latency_s": 2, "error_code": null}]`
	llmperfSum   = `{"model": "m", "results_number_errors": 0, "results_ttft_s_mean": 1}`
)

const (
	stageName  = "stage_0_lifecycle_metrics.json"
	settings   = "profile_export_aiperf.json"
	perRequest = inferenceperf.PerRequestName
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestContentTellsTheFormat(t *testing.T) {
	for text, want := range map[string][2]string{
		vllmText: {"vllm", ""}, aiperfLine: {"aiperf", "requests"}, aiperfLine + aiperfLine: {"aiperf", "requests"},
		aiperfText: {"aiperf", "summary"},
		guideText:  {"guidellm", ""}, stageText: {"inference-perf", "summary"}, requestsText: {"inference-perf", "requests"},
		llmperfText: {"llmperf", "requests"}, llmperfSum: {"llmperf", "summary"},
	} {
		format, part, err := Detect("f", strings.NewReader(text))
		require.NoError(t, err, text)
		require.Equal(t, want, [2]string{format, part})
	}
	for text, says := range map[string]string{
		"hello": "is not JSON", "3": "is neither", "[]": "a list of nothing", "{}": "an object of no field",
		`[{"a": 1}]`: `a list of "a"`, `{"b": 1, "a": [1, {"x": 2}]}`: `an object of "a", "b"`, `{"a": `: "an object of no field",
	} {
		_, _, err := Detect("f", strings.NewReader(text))
		require.ErrorContains(t, err, says, text)
		var e *recorded.Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, e.Next()[0], "vllm bench")
	}
}

func TestFoldersAndWhatLiesBeside(t *testing.T) {
	for name, c := range map[string]struct {
		files    map[string]string
		path     string
		tool     string
		measured bool
	}{
		"inference-perf":          {map[string]string{stageName: stageText, "config.yaml": ""}, "", "inference-perf", false},
		"with requests":           {map[string]string{stageName: stageText, perRequest: requestsText}, "", "inference-perf", true},
		"renamed requests":        {map[string]string{"r.json": requestsText}, "r.json", "inference-perf", true},
		"aiperf":                  {map[string]string{"profile_export.jsonl": aiperfLine, settings: aiperfText}, "", "aiperf", true},
		"aiperf by its lines":     {map[string]string{"profile_export.jsonl": aiperfLine}, "profile_export.jsonl", "aiperf", true},
		"aiperf by its summaries": {map[string]string{"profile_export_aiperf.json": aiperfText}, "profile_export_aiperf.json", "aiperf", false},
		"llmperf":                 {map[string]string{"a_individual.json": llmperfText, "a_summary.json": llmperfSum}, "", "llmperf", true},
		"llmperf summary":         {map[string]string{"a_summary.json": llmperfSum}, "a_summary.json", "llmperf", false},
		"vllm":                    {map[string]string{"x.json": vllmText, "notes.json": "{}"}, "", "vllm", false},
		"with a byte order mark":  {map[string]string{"x.json": "\ufeff" + vllmText}, "x.json", "vllm", false},
		"guidellm":                {map[string]string{"x.json": guideText}, "x.json", "guidellm", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder(t, c.files), c.path)
			run, err := Read(path, Auto)
			require.NoError(t, err)
			require.Equal(t, c.tool, run.Tool)
			require.Equal(t, path, run.Name)
			require.NotEmpty(t, run.SHA256)
			require.Equal(t, c.measured, run.Stages[0].Measured())
		})
	}
}

func TestWhatCannotBeReadIsSaid(t *testing.T) {
	several := folder(t, map[string]string{"a.json": vllmText, "b.json": vllmText})
	for says, c := range map[string][2]string{
		"holds several results: a.json, b.json": {several, Auto},
		"is a result of vllm, not of aiperf":    {filepath.Join(several, "a.json"), "aiperf"},
		"holds no result that is known":         {t.TempDir(), Auto},
		"e.json: is empty":                      {filepath.Join(folder(t, map[string]string{"e.json": "\ufeff \n"}), "e.json"), Auto},
		"z.json.gz: is compressed with gzip":    {filepath.Join(folder(t, map[string]string{"z.json.gz": "\x1f\x8b\x08"}), "z.json.gz"), Auto},
		"no such file":                          {filepath.Join(several, "c.json"), Auto},
	} {
		_, err := Read(c[0], c[1])
		require.ErrorContains(t, err, says)
	}
}

func FuzzDetect(f *testing.F) {
	for _, text := range []string{vllmText, aiperfLine, guideText, requestsText, llmperfSum, "[[[[", `{"a":`, "[1"} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) { _, _, _ = Detect("f", strings.NewReader(text)) })
}
