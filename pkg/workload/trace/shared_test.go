//go:build shared

package trace

import (
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// reference are the values of a real trace that another program computed.
type reference struct {
	file                      string
	format                    swap.TraceFormat
	requests                  int
	spanS, meanRPS            float64
	gapMeanS, gapCV           float64
	gapP50S, gapP99S, gapMaxS float64
	zeroGaps, inSum, outSum   int
	tick                      time.Duration
	sha256                    string
}

var references = []reference{
	{
		file: "azure-2023/AzureLLMInferenceTrace_code.csv", format: swap.TraceAzure, requests: 8819,
		spanS: 3435.948056, meanRPS: 2.566686, gapMeanS: 0.389652, gapCV: 13.152037,
		gapP50S: 0.063798, gapP99S: 2.20507, gapMaxS: 217.168952, inSum: 18059974, outSum: 245896,
		sha256: "54e9a6d2a4bd06ba",
	},
	{
		file: "azure-2023/AzureLLMInferenceTrace_conv.csv", format: swap.TraceAzure, requests: 19366,
		spanS: 3501.721937, meanRPS: 5.530422, gapMeanS: 0.180827, gapCV: 1.094198,
		gapP50S: 0.118424, gapP99S: 0.889671, gapMaxS: 4.314579, inSum: 22361870, outSum: 4088665,
		sha256: "2f1e5b666d4e3055",
	},
	{
		file: "mooncake-fast25/conversation_trace.jsonl", format: swap.TraceMooncake, requests: 12031,
		spanS: 3536.999, meanRPS: 3.401471, gapMeanS: 0.294015, gapCV: 3.033864,
		gapP50S: 0, gapP99S: 3.001, gapMaxS: 3.003, zeroGaps: 10851, inSum: 144793823, outSum: 4122048,
		tick: 3 * time.Second, sha256: "b8cbb061a85206d7",
	},
}

func readShared(t *testing.T, file string) *Recording {
	t.Helper()
	dir := os.Getenv("SWAPGATE_SHARED_DIR")
	require.NotEmpty(t, dir, "set SWAPGATE_SHARED_DIR")
	r, err := Read(filepath.Join(dir, "traces", file), "")
	require.NoError(t, err)
	return r
}

func TestRealTraces(t *testing.T) {
	for _, want := range references {
		t.Run(want.file, func(t *testing.T) {
			r := readShared(t, want.file)
			require.Equal(t, want.format, r.Format)
			require.Len(t, r.Requests, want.requests)
			require.Zero(t, r.Backwards)
			require.Zero(t, r.Unanswered)
			require.Equal(t, want.tick, r.Tick)
			in, out := 0, 0
			for _, q := range r.Requests {
				in, out = in+q.Input, out+q.Output
			}
			require.Equal(t, []int{want.inSum, want.outSum}, []int{in, out})
			sum := r.SHA256()
			require.Equal(t, want.sha256, hex.EncodeToString(sum[:8]))
			requireGaps(t, want, r)
		})
	}
}

// requireGaps compares to the last decimal that the reference has.
func requireGaps(t *testing.T, want reference, r *Recording) {
	t.Helper()
	const last = 0.51e-6
	gaps := secondsOf(r.Gaps(nil))
	mean, sd := stat.MeanStdDev(gaps, nil)
	slices.Sort(gaps)
	zero, _ := slices.BinarySearch(gaps, math.SmallestNonzeroFloat64)
	require.InDelta(t, want.spanS, r.Span().Seconds(), last)
	require.InDelta(t, want.meanRPS, float64(want.requests)/r.Span().Seconds(), last)
	require.InDelta(t, want.gapMeanS, mean, last)
	require.InDelta(t, want.gapCV, sd/mean, last)
	require.InDelta(t, want.gapP50S, stats.Quantile(gaps, 0.5), last)
	require.InDelta(t, want.gapP99S, stats.Quantile(gaps, 0.99), last)
	require.InDelta(t, want.gapMaxS, gaps[len(gaps)-1], last)
	require.Equal(t, want.zeroGaps, zero)
}

// TestVidurIsAzureInSeconds holds the two ways of reading time to each other: the same trace was published in both.
func TestVidurIsAzureInSeconds(t *testing.T) {
	for azure, vidur := range map[string]string{
		"azure-2023/AzureLLMInferenceTrace_code.csv": "vidur/splitwise_code.csv",
		"azure-2023/AzureLLMInferenceTrace_conv.csv": "vidur/splitwise_conv.csv",
	} {
		require.Equal(t, readShared(t, azure).Requests, readShared(t, vidur).Requests)
	}
}

// TestJitterOfMooncake: the ticks of 3 s hide a process that is not burstier than Poisson.
func TestJitterOfMooncake(t *testing.T) {
	seed := uint64(1)
	r := readShared(t, "mooncake-fast25/conversation_trace.jsonl")
	require.InDelta(t, 1, cv(r.Gaps(&seed)), 0.05)
}

func TestRealFilesOfOtherFormatsAreRefused(t *testing.T) {
	dir := os.Getenv("SWAPGATE_SHARED_DIR")
	for _, file := range []string{
		"aibrix/8min_up_and_down.lengths.jsonl", "vidur/arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv",
	} {
		_, err := Read(filepath.Join(dir, "traces", file), "")
		require.ErrorContains(t, err, "no known format")
	}
}
