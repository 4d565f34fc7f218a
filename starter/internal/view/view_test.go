package view

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) *time.Time {
	t := start.Add(d)
	return &t
}

func loading() control.Observation {
	return control.Observation{
		Status: &swap.Status{
			Target: "chat", Stage: swap.StageLoad, Started: start, PlannedEnd: start.Add(30 * time.Minute),
			StepsDone: 1, Steps: 4,
			Stages: []swap.StageState{
				{Stage: swap.StagePreflight, State: "done", Started: at(0), Ended: at(3 * time.Second), Note: "no findings"},
				{Stage: swap.StageLoad, State: "running", Started: at(time.Minute)},
				{Stage: swap.StageCompare, State: "pending"},
			},
		},
		Execution: control.Execution{
			WorkflowID: "swap-chat", State: control.Running, Started: start,
			Pending: []control.PendingActivity{{Type: "LoadStep", Progress: &swap.Progress{
				What: "blocks", Done: 12, Total: 60, Offered: swap.Of(32), Achieved: swap.Of(31.8),
				Requests: 2816, TTFTP95ms: swap.Of(412), ETA: "1m10s",
			}}},
		},
	}
}

func TestRenderOfARunningLoad(t *testing.T) {
	require.Equal(t, []string{
		"chat  10m0s  about 20m0s left",
		"  ✓ preflight       3s  no findings",
		"  ▸ load          9m0s  1 of 4 steps done",
		"  · compare",
		"    blocks, 12/60, 31.8 of 32 req/s, 2816 requests, 0 failed, TTFT P95 412 ms, 1m10s left",
	}, Render(loading(), start.Add(10*time.Minute)))
}

func TestRenderShowsWhatWaitsAndWhatIsWrong(t *testing.T) {
	o := loading()
	o.Execution.Pending = nil
	o.Status.Stages = nil
	o.Status.Weights = &swap.Weights{Baseline: 95, Candidate: 5}
	o.Status.Waiting = "approve 20 %"
	o.Status.Reasons = []swap.Reason{{Code: "LOW_N", Message: "too few"}}
	o.Problems = []string{"no worker"}
	require.Equal(t, []string{
		"traffic: baseline 95 %, candidate 5 %", "LOW_N: too few", "waiting: approve 20 %", "! no worker",
	}, Render(o, start)[1:])

	o.Execution.State = control.Completed
	require.Contains(t, Render(o, start), "when the run ended, traffic: baseline 95 %, candidate 5 %")
}

func TestRenderWithoutAWorker(t *testing.T) {
	o := loading()
	o.Status = nil
	o.Problems = []string{"no worker polls"}
	lines := Render(o, start.Add(2*time.Hour))
	require.Equal(t, "swap-chat  running  2h00m", lines[0])
	require.Equal(t, "! no worker polls", lines[len(lines)-1])
}

func TestBoardRedrawsInPlace(t *testing.T) {
	var out bytes.Buffer
	b := NewBoard(&out, func() (int, int) { return 40, 24 })
	b.Show(loading(), start)
	first := out.String()
	require.False(t, strings.HasPrefix(first, "\x1b["), "the first picture stays where it is")
	out.Reset()
	b.Show(loading(), start)
	require.True(t, strings.HasPrefix(out.String(), fmt.Sprintf("\x1b[%dA", strings.Count(first, "\n"))), "moves up over what was drawn")
	for line := range strings.Lines(first) {
		require.LessOrEqual(t, len([]rune(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "\r\x1b[K"))), 40)
	}
}

func TestBoardFitsASmallTerminal(t *testing.T) {
	var out bytes.Buffer
	NewBoard(&out, func() (int, int) { return 80, 3 }).Show(loading(), start)
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
}

func TestBoardNeutralisesControlCharacters(t *testing.T) {
	require.Equal(t, "a [2Jb", printable("a\x1b[2Jb"))
}

func TestWrapKeepsEveryWord(t *testing.T) {
	require.Equal(t, []string{"short"}, wrap("short", 20))
	require.Equal(t, []string{"! no worker polls", "    queue swapgate;", "    start one"},
		wrap("! no worker polls queue swapgate; start one", 20))
	require.Equal(t, []string{"abcdefgh", "    ijkl", "    mn"}, wrap("abcdefghijklmn", 1))
	rapid.Check(t, func(t *rapid.T) {
		line, width := rapid.String().Draw(t, "line"), rapid.IntRange(0, 60).Draw(t, "width")
		lines := wrap(line, width)
		for _, l := range lines {
			require.LessOrEqual(t, len([]rune(l)), max(width, 8))
		}
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		require.Equal(t, bare(string([]rune(line))), bare(strings.Join(lines, "")))
	})
}

func TestLogSpeaksOnChangesOnly(t *testing.T) {
	var out bytes.Buffer
	l := NewLog(&out)
	l.Show(loading(), start.Add(time.Minute))
	require.Equal(t, "00:01:00  preflight: done, no findings\n"+
		"00:01:00  load: running\n00:01:00  load: 1 of 4 steps done\n", out.String())
	out.Reset()
	l.Show(loading(), start.Add(61*time.Second))
	require.Empty(t, out.String())

	next := loading()
	next.Status.StepsDone = 2
	next.Status.Windows = 1
	next.Status.Weights = &swap.Weights{Baseline: 95, Candidate: 5}
	next.Status.Waiting = "approve 20 %"
	next.Status.Verdict = swap.Pass
	l.Show(next, start.Add(62*time.Second))
	require.Equal(t, "00:01:02  load: 2 of 4 steps done\n00:01:02  rollout: 1 windows seen\n"+
		"00:01:02  traffic: baseline 95 %, candidate 5 %\n00:01:02  waiting: approve 20 %\n00:01:02  verdict: pass\n", out.String())
}

func TestLogIsNeverSilentForLong(t *testing.T) {
	var out bytes.Buffer
	l := NewLog(&out)
	l.Show(loading(), start)
	out.Reset()
	l.Show(loading(), start.Add(59*time.Second))
	require.Empty(t, out.String())
	l.Show(loading(), start.Add(time.Minute))
	require.Equal(t, "00:01:00  still in load, about 29m0s left; "+
		"blocks, 12/60, 31.8 of 32 req/s, 2816 requests, 0 failed, TTFT P95 412 ms, 1m10s left\n", out.String())
}

func TestLogNamesAProblemOnceAndItsEnd(t *testing.T) {
	var out bytes.Buffer
	l := NewLog(&out)
	l.Show(loading(), start)
	out.Reset()

	bad := loading()
	bad.Status = nil
	bad.Problems = []string{"no worker polls"}
	l.Show(bad, start.Add(time.Second))
	l.Show(bad, start.Add(2*time.Second))
	l.Show(loading(), start.Add(3*time.Second))
	require.Equal(t, "00:00:01  ! no worker polls\n00:00:03  the problem is gone\n", out.String())
}

func TestQueuedAndProlongedRunsSaySo(t *testing.T) {
	o := loading()
	o.Queued = "place 2 of 3 in the line for a load worker"
	o.Status.Now = "step 2/4: prolonged, block 7 of at most 12 on each arm, because …"
	o.Execution.Pending[0].Progress.Note = "prolonged, block 7 of at most 12 on each arm, because …"
	o.Execution.Pending[0].Progress.Problem = "shard 2 has not joined"
	lines := Render(o, start)
	require.Contains(t, lines, "    "+o.Queued)
	require.Contains(t, lines, "now: "+o.Status.Now)
	text := strings.Join(lines, "\n")
	require.Contains(t, text, ", shard 2 has not joined, prolonged, block 7 of at most 12 on each arm")
	require.NotContains(t, text, "uploads wait")

	var out bytes.Buffer
	l := NewLog(&out)
	l.Show(loading(), start)
	l.Show(o, start.Add(time.Second))
	later := o
	later.Queued = "place 1 of 2 in the line for a load worker"
	l.Show(later, start.Add(2*time.Second))
	require.Equal(t, 1, strings.Count(out.String(), "queued: place"), out.String())
	require.Equal(t, 1, strings.Count(out.String(), "now: step 2/4: prolonged"), out.String())
	l.Show(later, start.Add(2*time.Minute))
	require.Contains(t, out.String(), "still in load, about 28m0s left; place 1 of 2 in the line for a load worker")
}
