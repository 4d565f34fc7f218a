package own

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

const perBlock = 60

// rows are the requests of a block; the candidate is slow times as slow.
func rows(random *rand.Rand, plan swap.BlockPlan, slow float64) []rawlog.Record {
	out := make([]rawlog.Record, perBlock)
	for i := range out {
		first := int64(100_000 * math.Exp(.2*random.NormFloat64()))
		if plan.Arm == swap.Candidate {
			first = int64(float64(first) * slow)
		}
		last, tokens := first+1_000_000, int32(101)
		out[i] = rawlog.Record{
			Step: int32(plan.Step), Block: int32(plan.Block), Pair: int32(plan.Pair), Seq: int32(i), Arm: string(plan.Arm), Measured: true,
			PlannedUnixNS: int64(1e9 * i), SentUnixNS: 1, FirstUS: &first, LastUS: &last, OutputTokens: &tokens, Outcome: string(swap.OK),
		}
	}
	return out
}

// store writes a run as the run store lays it out, and returns its folder.
func store(t *testing.T, pairs int, slow float64, options ...parquet.WriterOption) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "run", "raw", "step-01")
	random := rand.New(rand.NewPCG(1, 2))
	manifest := swap.StepManifest{Step: 1, Spec: swap.Step{Concurrency: 8}}
	for block := 1; block <= 2*pairs; block++ {
		arm := swap.Baseline
		if block%4 == 2 || block%4 == 3 {
			arm = swap.Candidate
		}
		plan := swap.BlockPlan{Step: 1, Block: block, Arm: arm, Pair: (block + 1) / 2}
		place := filepath.Join(fmt.Sprintf("block-%03d-%s", block, arm), "a1", requestsName)
		path := filepath.Join(folder, place)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, parquet.WriteFile(path, rows(random, plan, slow), append(options, parquet.PageBufferSize(4096))...))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		sum := sha256.Sum256(data)
		manifest.Blocks = append(manifest.Blocks, swap.BlockResult{
			BlockPlan: plan, Started: time.Unix(100, 0).UTC(), MeasuredMS: 60_000, Planned: perBlock,
			Outcomes: swap.OutcomeCounts{swap.OK: perBlock},
			Slices: []swap.BlockSlice{{Raw: swap.ObjectRef{
				URI: "s3://b/runs/t/r/raw/step-01/" + filepath.ToSlash(place), SHA256: hex.EncodeToString(sum[:]),
				Bytes: int64(len(data)), Rows: perBlock,
			}}},
		})
	}
	write(t, folder, manifest)
	return filepath.Dir(filepath.Dir(folder))
}

func write(t *testing.T, folder string, manifest swap.StepManifest) {
	t.Helper()
	data, err := json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, manifestName), data, 0o600))
}

func gates() []swap.Gate {
	return []swap.Gate{{Metric: swap.MetricTTFT, Stat: swap.StatP50, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}}
}

func settings() swap.Judge {
	return swap.Judge{Level: .95, Resamples: 499, MinBlocks: 10, MinTail: 30, Seed: 7}
}

func TestARunIsJudgedAnewByItsOwnPairs(t *testing.T) {
	for slow, want := range map[float64]swap.Decision{1: swap.Pass, 1.5: swap.Fail} {
		folder := store(t, 12, slow)
		require.True(t, Looks(folder))
		r, err := ReadPath(folder)
		require.NoError(t, err)
		require.Equal(t, swap.Arms[:], r.Arms())
		c := judge.Decide(r.Evidence(gates(), settings()))
		require.Equal(t, want, c.Decision, c.Reasons)
		require.Equal(t, r.SHA256, c.EvidenceSHA256)
		require.Equal(t, 12, c.Gates[0].Blocks)
	}
}

func TestArmsOfTwoRunsAreJudged(t *testing.T) {
	before, err := ReadPath(store(t, 12, 1))
	require.NoError(t, err)
	after, err := ReadPath(store(t, 15, 1.5))
	require.NoError(t, err)
	o := recorded.Options{Gates: gates(), Settings: settings(), Noise: .03}
	v, err := recorded.Judge(swap.PerArm[recorded.Run]{Baseline: before.Run(swap.Baseline), Candidate: after.Run(swap.Candidate)}, o)
	require.NoError(t, err)
	require.Equal(t, swap.Fail, v.Verdict)
	require.Equal(t, "concurrency 8", v.Steps[0].Label)
	require.Equal(t, 12, v.Gates[0].Blocks, "what has no counterpart is left out")
	require.Equal(t, int64(100), v.Provenance.Started.Unix())
	v, err = recorded.Judge(swap.PerArm[recorded.Run]{Baseline: after.Run(swap.Candidate), Candidate: before.Run(swap.Baseline)}, o)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
}

func TestAClientThatCannotBeBelievedDecidesNothing(t *testing.T) {
	r, err := ReadPath(store(t, 12, 3))
	require.NoError(t, err)
	r.Manifests[0].Instrument.Faults = []swap.InstrumentFault{{Signal: "cpu_share", Message: "it was busy", Next: "give it more"}}
	v, err := recorded.Judge(swap.PerArm[recorded.Run]{Baseline: r.Run(swap.Baseline), Candidate: r.Run(swap.Candidate)},
		recorded.Options{Gates: gates(), Settings: settings()})
	require.NoError(t, err)
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.Equal(t, swap.ReasonInstrument, v.Reasons[0].Code)
}

func TestTablesWithoutAManifest(t *testing.T) {
	folder := store(t, 12, 1)
	require.NoError(t, os.Remove(filepath.Join(folder, "raw", "step-01", manifestName)))
	r, err := ReadPath(folder)
	require.NoError(t, err)
	require.Len(t, r.Blocks, 24)
	require.InDelta(t, perBlock-1, r.Blocks[0].MeasuredSeconds, 1e-9, "between the planned sends, without a seal")
	require.Equal(t, swap.Pass, judge.Decide(r.Evidence(gates(), settings())).Decision)
	run := r.Run(swap.Baseline)
	require.Equal(t, "step 1", run.Stages[0].Level.String())
	require.Contains(t, run.Notes[0], "there is no manifest.json")
	one, err := ReadPath(filepath.Join(folder, "raw", "step-01", "block-001-baseline", "a1", requestsName))
	require.NoError(t, err)
	require.Equal(t, []swap.Arm{swap.Baseline}, one.Arms())
}

// LZ4 is safe only where a manifest says that the bytes are ours.
func TestLZ4NeedsAManifest(t *testing.T) {
	folder := store(t, 1, 1, parquet.Compression(&parquet.Lz4Raw))
	_, err := ReadPath(folder)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(folder, "raw", "step-01", manifestName)))
	_, err = ReadPath(folder)
	require.ErrorContains(t, err, "requests.parquet: is compressed with LZ4")
}

func TestWhatWasChangedIsRefused(t *testing.T) {
	const table = "raw/step-01/block-001-baseline/a1/requests.parquet"
	change := func(f func(m *swap.StepManifest)) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			path := filepath.Join(folder, "raw", "step-01", manifestName)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var m swap.StepManifest
			require.NoError(t, json.Unmarshal(data, &m))
			f(&m)
			write(t, filepath.Dir(path), m)
		}
	}
	for says, spoil := range map[string]func(*testing.T, string){
		"its hash or size differs": func(t *testing.T, folder string) {
			t.Helper()
			path := filepath.Join(folder, table)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			data[len(data)/2] ^= 1
			require.NoError(t, os.WriteFile(path, data, 0o600))
		},
		"no such file": func(t *testing.T, folder string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Join(folder, table)))
		},
		"which is no place of a block": change(func(m *swap.StepManifest) { m.Blocks[0].Slices[0].Raw.URI = "s3://b/block-1/../../etc" }),
		"blocks[1]: is out of place":   change(func(m *swap.StepManifest) { m.Blocks[1].Block = 1 }),
		"blocks[0]: is out of place":   change(func(m *swap.StepManifest) { m.Blocks[0].Arm = "other" }),
		"this is no manifest":          change(func(m *swap.StepManifest) { m.Step = 0 }),
		"more than 20000000 requests":  change(func(m *swap.StepManifest) { m.Blocks[0].Slices[0].Raw.Rows = math.MaxInt64 }),
		"holds a request of another":   change(func(m *swap.StepManifest) { m.Blocks[0].Block = 77 }),
		"is step 1, and so is": func(t *testing.T, folder string) {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(folder, "raw", "step-01", manifestName))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(folder, manifestName), data, 0o600))
		},
	} {
		t.Run(says, func(t *testing.T) {
			folder := store(t, 1, 1)
			spoil(t, folder)
			_, err := ReadPath(folder)
			if says == "is step 1, and so is" {
				says = "is of step 1, and so is"
			}
			require.ErrorContains(t, err, says)
		})
	}
}

func TestABlockThatIsThereTwiceIsRefused(t *testing.T) {
	folder := t.TempDir()
	for _, attempt := range []string{"a1", "a2"} {
		path := filepath.Join(folder, attempt, requestsName)
		require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
		plan := swap.BlockPlan{Step: 1, Block: 1, Pair: 1, Arm: swap.Baseline}
		require.NoError(t, parquet.WriteFile(path, rows(rand.New(rand.NewPCG(1, 1)), plan, 1)))
	}
	_, err := ReadPath(folder)
	require.ErrorContains(t, err, "holds block 1 of step 1, and so does")
}

func FuzzCheckContent(f *testing.F) {
	var table bytes.Buffer
	require.NoError(f, parquet.Write(&table, rows(rand.New(rand.NewPCG(1, 1)), swap.BlockPlan{Step: 1, Block: 1, Arm: swap.Baseline}, 1)))
	f.Add(table.Bytes())
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = checkContent(bytes.NewReader(data), int64(len(data))) })
}

func FuzzBelow(f *testing.F) {
	f.Add("s3://b/runs/t/r/raw/step-01/block-001-baseline/a/requests.parquet")
	f.Add("block-/../../x")
	f.Fuzz(func(t *testing.T, uri string) {
		path, err := below("/folder", uri)
		if err == nil {
			rest, err := filepath.Rel("/folder", path)
			require.NoError(t, err)
			require.True(t, filepath.IsLocal(rest), path)
		}
	})
}
