package instrument

import (
	"io/fs"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// fake is a system whose time stands still between steps.
type fake struct {
	at    time.Time
	cpu   time.Duration
	noCPU bool
	files fs.FS
}

func (f *fake) system() system {
	return system{
		files: f, clock: func() time.Time { return f.at },
		cpuTime: func() (time.Duration, bool) { return f.cpu, !f.noCPU }, cpus: func() int { return 4 },
	}
}

func (f *fake) Open(name string) (fs.File, error) { return f.files.Open(name) }

func machine(quota, stat, proc string) fs.FS {
	return files(map[string]string{
		"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": quota, "sys/fs/cgroup/cpu.stat": stat, "proc/stat": proc,
	})
}

func TestWatchReadsTheInterval(t *testing.T) {
	f := &fake{at: time.Unix(1000, 0), cpu: time.Minute, files: machine("50000 100000", statV2, "cpu 0 0 0 900 0 0 0 100 0 0\n")}
	w := startWatch(f.system())
	require.False(t, w.Stop().CPUShare.Valid(), "no time has passed")

	f.at, f.cpu = f.at.Add(10*time.Second), f.cpu+4*time.Second
	f.files = machine("50000 100000", "nr_periods 300\nnr_throttled 240\nthrottled_usec 20500000\n", "cpu 0 0 0 1700 0 0 0 300 0 0\n")
	r := w.Stop()
	require.InDelta(t, .8, r.CPUShare.Or(0), 1e-9, "4 s of the 5 s that half a CPU has")
	require.InDelta(t, .8, r.Throttled.Or(0), 1e-9)
	require.InDelta(t, .2, r.Stolen.Or(0), 1e-9)
}

func TestWatchWithoutAQuotaUsesTheProcessors(t *testing.T) {
	f := &fake{at: time.Unix(1000, 0), files: machine("max 100000", statV2, "")}
	w := startWatch(f.system())
	f.at, f.cpu = f.at.Add(10*time.Second), 4*time.Second
	r := w.Stop()
	require.InDelta(t, .1, r.CPUShare.Or(0), 1e-9)
	require.InDelta(t, 0, r.Throttled.Or(-1), 0)
}

func TestWatchSaysNothingOfWhatItCannotSee(t *testing.T) {
	f := &fake{at: time.Unix(1000, 0), noCPU: true, files: files(nil)}
	w := startWatch(f.system())
	f.at = f.at.Add(time.Second)
	r := w.Stop()
	require.Equal(t, []swap.Value{{}, {}, {}}, []swap.Value{r.CPUShare, r.Throttled, r.Stolen})
}

func TestWatchOfThisProcess(t *testing.T) {
	w := StartWatch()
	for range 3 {
		runtime.GC()
	}
	until := time.Now().Add(50 * time.Millisecond)
	for x := 1.0; time.Now().Before(until); x = math.Sqrt(x) + 1 {
		runtime.Gosched()
	}
	r := w.Stop()
	if runtime.GOOS == "linux" {
		require.Greater(t, r.CPUShare.Or(0), 0.0)
		require.Less(t, r.CPUShare.Or(9), 1.5)
		require.GreaterOrEqual(t, r.Stolen.Or(0), 0.0)
	}
	require.Greater(t, r.GCPauseMaxMS.Or(0), 0.0)
	require.Greater(t, r.SchedLatencyP99MS.Or(0), 0.0)
	require.Zero(t, r.Requests)
}

func TestDistributions(t *testing.T) {
	before := distribution{counts: []uint64{5, 5, 0, 0}, bounds: []float64{math.Inf(-1), 0, .001, .002, math.Inf(1)}}
	now := distribution{counts: []uint64{5, 104, 1, 0}, bounds: before.bounds}
	d := now.since(before)
	require.InDelta(t, 1, d.quantileMS(.99).Or(0), 1e-9)
	require.InDelta(t, 2, d.maxMS().Or(0), 1e-9)
	now.counts[3] = 1
	require.InDelta(t, 2, now.since(before).maxMS().Or(0), 1e-9, "the last bucket has no upper end")
	require.False(t, before.since(before).quantileMS(.99).Valid())
	require.InDelta(t, 0, before.since(before).maxMS().Or(-1), 0, "nothing stopped it")
	require.False(t, distribution{}.since(before).maxMS().Valid(), "a histogram that does not exist")
}
