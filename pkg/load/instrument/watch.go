package instrument

import (
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Watch looks at this process over an interval. It costs nothing between its start and its end.
//
// Its shares are means over the interval, so the idle time in it hides load: watch each block by itself and keep the worse
// of the readings (swap.InstrumentReading.Worse).
type Watch struct {
	system system
	began  moment
}

// system is where a watch looks.
type system struct {
	files   fs.FS
	clock   func() time.Time
	cpuTime func() (time.Duration, bool)
	cpus    func() int
}

// moment is what a system says at one time.
type moment struct {
	at            time.Time
	cpu           time.Duration
	hasCPU        bool
	cgroups       cgroupUse
	ticks         cpuTicks
	hasTicks      bool
	sched, pauses distribution
}

// StartWatch begins an interval.
func StartWatch() *Watch {
	return startWatch(system{
		files: os.DirFS("/"), clock: time.Now, cpuTime: cpuTime, cpus: usableCPUs,
	})
}

// usableCPUs counts the CPUs that the Go code of this process can be on at once; it may have more processors than CPUs.
func usableCPUs() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

func startWatch(s system) *Watch { return &Watch{system: s, began: s.now()} }

func (s system) now() moment {
	m := moment{at: s.clock(), cgroups: readCgroups(s.files)}
	m.cpu, m.hasCPU = s.cpuTime()
	m.ticks, m.hasTicks = parseProcStat(readText(s.files, "proc/stat"))
	m.sched, m.pauses = readRuntime()
	return m
}

// Stop is the reading of the interval up to now: CPUShare, GCPauseMaxMS, SchedLatencyP99MS, Throttled and Stolen, each absent where
// the system does not tell. GCPauseMaxMS is 0 if the collector never stopped the process.
func (w *Watch) Stop() swap.InstrumentReading {
	now := w.system.now()
	wall := now.at.Sub(w.began.at).Seconds()
	allowed := min(float64(w.system.cpus()), w.began.cgroups.cpus, now.cgroups.cpus)
	return swap.InstrumentReading{
		CPUShare:          cpuShare(w.began, now, wall, allowed),
		GCPauseMaxMS:      now.pauses.since(w.began.pauses).maxMS(),
		SchedLatencyP99MS: now.sched.since(w.began.sched).quantileMS(.99),
		Throttled:         throttled(w.began.cgroups, now.cgroups, wall),
		Stolen:            stolen(w.began, now),
	}
}

func cpuShare(before, now moment, wall, allowed float64) swap.Value {
	if !before.hasCPU || !now.hasCPU || wall <= 0 || allowed <= 0 {
		return swap.Absent()
	}
	return swap.Of((now.cpu - before.cpu).Seconds() / (wall * allowed))
}

// throttled is the largest share of the process's cgroup and those above it.
func throttled(before, now cgroupUse, wall float64) swap.Value {
	most := swap.Absent()
	for folder, t := range now.throttles {
		since, known := before.throttles[folder]
		if !known {
			continue
		}
		if share, ok := t.share(since, wall); ok && share >= most.Or(0) {
			most = swap.Of(share)
		}
	}
	return most
}

func stolen(before, now moment) swap.Value {
	if !before.hasTicks || !now.hasTicks {
		return swap.Absent()
	}
	if share, ok := now.ticks.stolenSince(before.ticks); ok {
		return swap.Of(share)
	}
	return swap.Absent()
}
