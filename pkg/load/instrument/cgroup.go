package instrument

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

const cgroupMount = "sys/fs/cgroup"

// membership is what /proc/self/cgroup says of CPU: the path in the hierarchy of the cpu controller, and that hierarchy's
// list of controllers, which names its mount; empty in the unified hierarchy of version 2.
type membership struct{ controllers, path string }

// parseMembership reads /proc/self/cgroup. Where version 1 holds the cpu controller, its hierarchy is the one that limits.
func parseMembership(text string) (found membership, ok bool) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(fields) != 3 || !strings.HasPrefix(fields[2], "/") {
			continue
		}
		controllers := fields[1]
		if slices.Contains(strings.Split(controllers, ","), "cpu") {
			return membership{controllers, path.Clean(fields[2])}, true
		}
		if fields[0] == "0" && controllers == "" {
			found, ok = membership{path: path.Clean(fields[2])}, true
		}
	}
	return found, ok
}

// mounts are the folders at which the hierarchy may be mounted, by convention.
func (m membership) mounts() []string {
	if m.controllers == "" {
		return []string{cgroupMount}
	}
	return []string{path.Join(cgroupMount, m.controllers), path.Join(cgroupMount, "cpu")}
}

// folders are the process's own cgroup and all above it, since any of them may hold the limit. Inside a container the path
// may be the host's, which does not exist there: the mount itself is then the container's cgroup.
func (m membership) folders(files fs.FS) []string {
	var folders []string
	for _, mount := range m.mounts() {
		if info, err := fs.Stat(files, mount); err != nil || !info.IsDir() {
			continue
		}
		for p := m.path; p != "/"; p = path.Dir(p) {
			folders = append(folders, path.Join(mount, p))
		}
		return append(folders, mount)
	}
	return nil
}

// cgroupUse is what the cgroups of a process say.
type cgroupUse struct {
	// cpus is how many CPUs may be used at once; +Inf without a limit.
	cpus float64
	// throttles are the counters of each cgroup that has them, by folder.
	throttles map[string]throttle
}

func readCgroups(files fs.FS) cgroupUse {
	use := cgroupUse{cpus: math.Inf(1), throttles: map[string]throttle{}}
	m, ok := parseMembership(readText(files, "proc/self/cgroup"))
	if !ok {
		return use
	}
	for _, folder := range m.folders(files) {
		if cpus, ok := quotaOf(files, folder); ok {
			use.cpus = min(use.cpus, cpus)
		}
		if t, ok := parseThrottle(readText(files, path.Join(folder, "cpu.stat"))); ok {
			use.throttles[folder] = t
		}
	}
	return use
}

func quotaOf(files fs.FS, folder string) (cpus float64, ok bool) {
	if cpus, ok = parseCPUMax(readText(files, path.Join(folder, "cpu.max"))); ok {
		return cpus, ok
	}
	quota := strings.TrimSpace(readText(files, path.Join(folder, "cpu.cfs_quota_us")))
	period := strings.TrimSpace(readText(files, path.Join(folder, "cpu.cfs_period_us")))
	if quota == "-1" {
		quota = "max"
	}
	return parseCPUMax(quota + " " + period)
}

// parseCPUMax reads cpu.max of cgroup v2, quota and period in µs, as CPUs; "max" is +Inf.
func parseCPUMax(text string) (cpus float64, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 2 {
		return 0, false
	}
	period, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil || period == 0 {
		return 0, false
	}
	if fields[0] == "max" {
		return math.Inf(1), true
	}
	quota, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil || quota == 0 {
		return 0, false
	}
	return float64(quota) / float64(period), true
}

// throttle are the counters of a cgroup's CPU bandwidth control: the periods in which it had work, those in which its quota
// stopped it, and the time that it was stopped, summed over CPUs.
type throttle struct{ periods, stops, seconds float64 }

// parseThrottle reads cpu.stat, of cgroup v2 (µs) or v1 (ns).
func parseThrottle(text string) (t throttle, ok bool) {
	found := 0
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		n, err := strconv.ParseUint(fields[1], 10, 64)
		if err != nil {
			continue
		}
		switch fields[0] {
		case "nr_periods":
			t.periods, found = float64(n), found|1
		case "nr_throttled":
			t.stops, found = float64(n), found|2
		case "throttled_usec":
			t.seconds, found = float64(n)/1e6, found|4
		case "throttled_time":
			t.seconds, found = float64(n)/1e9, found|4
		}
	}
	return t, found == 7
}

// share is the part of the time in which the quota stopped the cgroup on some CPU. Neither the stopped time, which is
// summed over CPUs, nor the share of periods with a stop is below it, so it is at most the smaller of the two.
func (t throttle) share(since throttle, wall float64) (share float64, ok bool) {
	periods, stops, seconds := t.periods-since.periods, t.stops-since.stops, t.seconds-since.seconds
	if periods < 0 || stops < 0 || seconds < 0 || wall <= 0 {
		return 0, false
	}
	if periods == 0 {
		return 0, true
	}
	return min(seconds/wall, stops/periods, 1), true
}

// readText is a file's contents; nothing where it cannot be read.
func readText(files fs.FS, name string) string {
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return ""
	}
	return string(b)
}
