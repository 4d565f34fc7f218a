package runstore

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestLayout(t *testing.T) {
	run := swap.RunKey{Target: "chat", RunID: "r1"}
	at := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.FixedZone("CET", 3600))
	plan := swap.BlockPlan{Step: 1, Block: 3, Arm: swap.Candidate, Pair: 2}
	for key, want := range map[string]string{
		StepManifestKey(run, 1):        "runs/chat/r1/raw/step-01/manifest.json",
		NoticeboardKey(run, 1):         "runs/chat/r1/raw/step-01/noticeboard.json",
		BlockPrefix(run, plan):         "runs/chat/r1/raw/step-01/block-003-candidate/",
		sealedKey(run, plan):           "runs/chat/r1/raw/step-01/block-003-candidate/sealed.json",
		TelemetryKey(run, "a-1", 2):    "runs/chat/r1/telemetry/a-1/part-002.parquet",
		WindowKey(run, 3, "a-1"):       "runs/chat/r1/rollout/window-003/a-1/requests.parquet",
		VerdictKey(run):                "runs/chat/r1/verdict.json",
		ReportKey(run):                 "runs/chat/r1/report.html",
		ChartKey(run):                  "runs/chat/r1/chart.png",
		SlackKey(run, "slack-verdict"): "runs/chat/r1/slack-verdict.json",
		BaselineKey(run, at):           "baselines/chat/20260304T040607.008Z-r1.json",
	} {
		require.Equal(t, want, key)
	}
}

// A file-backed service can store neither "a" and then "a/b" nor the reverse.
func TestNoObjectIsADirectoryOfAnother(t *testing.T) {
	run := swap.RunKey{Target: "chat", RunID: "r1"}
	plan := swap.BlockPlan{Step: 1, Block: 3, Arm: swap.Candidate, Pair: 2}
	dir := attemptPrefix(run, plan, "a-1")
	keys := []string{
		StepManifestKey(run, 1), NoticeboardKey(run, 1), sealedKey(run, plan), dir + attemptName, dir + partName(0), dir + requestsName,
		TelemetryKey(run, "a-1", 0), WindowKey(run, 1, "a-1"), VerdictKey(run), ReportKey(run), SlackKey(run, "slack-alarm"),
		BaselineKey(run, begun), checkKeyPrefix + "x",
	}
	for _, a := range keys {
		require.NoError(t, checkKey(a))
		for _, b := range keys {
			require.False(t, a != b && strings.HasPrefix(b, a+"/"), "%s is a directory of %s", a, b)
		}
	}
}

func TestDatedKeysSortByTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		millis := rapid.SliceOfN(rapid.Int64Range(0, 4e12), 2, 20).Draw(t, "ms")
		slices.Sort(millis)
		keys := make([]string, len(millis))
		for i, ms := range millis {
			keys[i] = BaselineKey(swap.RunKey{Target: "chat", RunID: "same"}, time.UnixMilli(ms))
		}
		require.True(t, slices.IsSorted(keys))
	})
}

func TestBlockKeysAreTakenApart(t *testing.T) {
	plan := swap.BlockPlan{Step: 7, Block: 1003, Arm: swap.Baseline}
	prefix := StepPrefix(testRun, 7)
	for name, want := range map[string]blockKey{
		attemptPrefix(testRun, plan, "x.1_2-3") + partName(12): {plan: plan, attempt: "x.1_2-3", name: "part-012.parquet"},
		sealedKey(testRun, plan):                               {plan: plan, name: sealedName},
	} {
		got, ok := parseBlockKey(7, strings.TrimPrefix(name, prefix))
		require.True(t, ok, name)
		require.Equal(t, want, got)
	}
	for _, foreign := range []string{
		"", "manifest.json", "block-001-baseline", "block-001-baseline/other.json", "block-001-nobody/sealed.json",
		"block-x-baseline/sealed.json", "block-001-baseline/a/b/c", "block-99999999999999999999-baseline/sealed.json",
	} {
		_, ok := parseBlockKey(7, foreign)
		require.False(t, ok, foreign)
	}
}

func FuzzParseBlockKey(f *testing.F) {
	for _, seed := range []string{"block-001-baseline/sealed.json", "block-12-candidate/a/part-000.parquet", "manifest.json", "//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		k, ok := parseBlockKey(1, rest)
		if ok {
			require.GreaterOrEqual(t, k.plan.Block, 0)
			require.Contains(t, swap.Arms, k.plan.Arm)
			require.True(t, strings.HasSuffix(rest, k.name))
		}
	})
}
