package instrument

import (
	"strconv"
	"strings"
)

// cpuTicks is the machine's CPU time since it started, in clock ticks, and the part that the hypervisor gave to others.
type cpuTicks struct{ all, stolen float64 }

// ticksOfStat is user, nice, system, idle, iowait, irq, softirq and steal. What follows is contained in user and nice.
const ticksOfStat = 8

// parseProcStat reads the first line of /proc/stat.
func parseProcStat(text string) (t cpuTicks, ok bool) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 1+ticksOfStat || fields[0] != "cpu" {
		return cpuTicks{}, false
	}
	for i, field := range fields[1 : 1+ticksOfStat] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return cpuTicks{}, false
		}
		t.all += float64(n)
		if i == ticksOfStat-1 {
			t.stolen = float64(n)
		}
	}
	return t, true
}

// stolenSince is the share of CPU time that others got.
func (t cpuTicks) stolenSince(before cpuTicks) (share float64, ok bool) {
	all, stolen := t.all-before.all, t.stolen-before.stolen
	if all <= 0 || stolen < 0 || stolen > all {
		return 0, false
	}
	return stolen / all, true
}
