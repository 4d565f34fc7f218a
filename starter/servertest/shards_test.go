package servertest

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// newSharedBench is a site whose load steps two load workers share.
func newSharedBench(t *testing.T) (b *bench, loads []*local.Child) {
	t.Helper()
	b = newBench(t, "same")
	b.spec.Load.Shards = 2
	b.spec.Load.Block, b.spec.Load.Steps[0].Hold = swap.Duration(500*time.Millisecond), swap.Duration(5*time.Second)
	b.spec.Load.Steps = b.spec.Load.Steps[:1]
	first := b.load
	b.startLoad()
	return b, []*local.Child{first, b.load}
}

// A load worker that is killed in the middle of a block costs that block, whichever part it plays: both shards repeat it once
// another worker has taken over, and no request of the void round counts.
func TestKilledLoadWorkerOfTwoCostsTheBlock(t *testing.T) {
	for name, activityID := range map[string]string{"the conductor": "load-step-1", "a follower": "load-step-1-shard-1"} {
		t.Run(name, func(t *testing.T) {
			b, loads := newSharedBench(t)
			run := b.start()
			b.await("a block under way after one that is sealed", func() bool { return b.sealed() > 0 && b.inFlight() > 0 })
			kill(t, loads, b.worker(activityID))
			b.startLoad()
			v, err := b.verdict(run)
			require.NoError(t, err)
			require.Contains(t, []swap.Decision{swap.Pass, swap.Inconclusive}, v.Verdict, v.Summary)
			for _, m := range b.steps(v) {
				require.NotEmpty(t, m.Discarded, "the void round is listed")
				block := m.Discarded[0].Block
				for _, d := range m.Discarded {
					require.Equal(t, block, d.Block, "one block was repeated")
				}
				for _, block := range m.Blocks {
					require.Len(t, block.Slices, 2)
				}
			}
			b.requirePoisson(v)
			b.record(run, "shard-retry-"+strings.ReplaceAll(strings.TrimPrefix(name, "the "), " ", "-"))
		})
	}
}

// With fewer load workers than shards the run says how many came and what to do.
func TestTooFewLoadWorkersAreSaid(t *testing.T) {
	b := newBench(t, "same")
	b.spec.Load.Shards = 2
	require.NoError(t, b.load.Kill())
	impatient, err := local.Start(local.Command{
		Name: "load worker", Path: exe, Args: []string{"worker", "--role", "load", "--health", "", "--shard-join-timeout", "3s"},
		Env:     []string{"TEMPORAL_ADDRESS=" + b.Temporal.Address(), "TEMPORAL_NAMESPACE=" + b.Temporal.Namespace()},
		LogFile: filepath.Join(b.Dir(), "worker-load.log"),
	})
	require.NoError(t, err)
	b.Add("load worker", impatient.Stop)
	run := b.start()
	_, err = b.verdict(run)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, "TooFewLoadWorkers", app.Type())
	require.ErrorContains(t, err, "1 of 2 came within 3s, missing: shard 1; start more load workers")
	require.Equal(t, swap.AllBaseline, b.weights())
}

// A cancel reaches both load workers, and the run closes when neither drives any more.
func TestCancelStopsAllLoadWorkers(t *testing.T) {
	b, _ := newSharedBench(t)
	run := b.start()
	b.await("traffic", func() bool { return b.sealed() > 0 && b.inFlight() > 0 })
	require.NoError(t, b.client.CancelWorkflow(t.Context(), run.GetID(), run.GetRunID()))
	_, err := b.verdict(run)
	require.True(t, temporal.IsCanceledError(err), "%v", err)
	require.Zero(t, b.inFlight(), "no load outlives the run")
	require.Equal(t, swap.AllBaseline, b.weights())
	b.record(run, "shard-cancel")
}

// worker is the process that runs a pending activity.
func (b *bench) worker(activityID string) (pid int) {
	b.t.Helper()
	d, err := b.client.DescribeWorkflow(b.t.Context(), swap.ValidateWorkflowID(b.spec.Target), "")
	require.NoError(b.t, err)
	for _, a := range d.RawResponse.GetPendingActivities() {
		if a.GetActivityId() == activityID {
			pid, err = strconv.Atoi(strings.Split(a.GetLastWorkerIdentity(), "@")[0])
			require.NoError(b.t, err)
			return pid
		}
	}
	require.Fail(b.t, "no pending activity "+activityID)
	return 0
}

func kill(t *testing.T, children []*local.Child, pid int) {
	t.Helper()
	i := slices.IndexFunc(children, func(c *local.Child) bool { return c.PID() == pid })
	require.GreaterOrEqual(t, i, 0, "no child has pid %d", pid)
	require.NoError(t, children[i].Kill())
}

// sealed counts the blocks that are sealed.
func (b *bench) sealed() (n int) {
	store, err := runstore.Open(b.spec.Store)
	require.NoError(b.t, err)
	defer store.Close()
	keys, err := store.List(b.t.Context(), "runs/")
	require.NoError(b.t, err)
	for _, key := range keys {
		if strings.HasSuffix(key, "/sealed.json") {
			n++
		}
	}
	return n
}

var running = regexp.MustCompile(`(?m)^vllm:num_requests_(?:running|waiting)\{[^}]*\} ([0-9.e+]+)$`)

// inFlight counts the requests that the two models have, as they say themselves.
func (b *bench) inFlight() (n int) {
	for _, arm := range swap.Arms {
		page := string(b.http("GET", b.models.Engines.Get(arm).URL+"/metrics", ""))
		found := running.FindAllStringSubmatch(page, -1)
		require.NotEmpty(b.t, found, "the page of the %s has the gauge", arm)
		for _, m := range found {
			v, err := strconv.ParseFloat(m[1], 64)
			require.NoError(b.t, err)
			n += int(math.Round(v))
		}
	}
	return n
}

// requirePoisson checks the arrivals of all load workers together: the index of dispersion of their counts is 1.
func (b *bench) requirePoisson(v swap.Verdict) {
	b.t.Helper()
	store, err := runstore.Open(b.spec.Store)
	require.NoError(b.t, err)
	defer store.Close()
	for _, s := range v.Steps {
		m, records, err := runstore.ReadStep(b.t.Context(), store, s.Manifest)
		require.NoError(b.t, err)
		length := b.spec.Load.Block.Std()
		var at []time.Duration // the blocks of one arm, one after another; the other arm has the same schedule
		for _, r := range records {
			if r.Measured && r.Arm == string(swap.Baseline) {
				started := m.Blocks[r.Block-1].Started.Add(b.spec.Load.Settle.Std())
				at = append(at, time.Duration(r.Pair-1)*length+time.Unix(0, r.PlannedUnixNS).Sub(started))
			}
		}
		slices.Sort(at)
		index, low, high := arrival.Dispersion(at, 25*time.Millisecond, time.Duration(m.Blocks[len(m.Blocks)-1].Pair)*length)
		b.t.Logf("index of dispersion %.2f, 95 %% interval %.2f to %.2f, %d arrivals; %s", index, low, high, len(at), v.Summary)
		require.True(b.t, low <= 1 && 1 <= high, "index %.2f, interval %.2f to %.2f", index, low, high)
	}
}
