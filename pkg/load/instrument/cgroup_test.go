package instrument

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func files(contents map[string]string) fstest.MapFS {
	found := fstest.MapFS{}
	for name, text := range contents {
		found[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return found
}

const (
	statV2 = "usage_usec 9\nuser_usec 5\nsystem_usec 4\nnr_periods 200\nnr_throttled 150\nthrottled_usec 12500000\nnr_bursts 0\nburst_usec 0\n"
	statV1 = "nr_periods 200\nnr_throttled 150\nthrottled_time 12500000000\n"
)

var stopped = throttle{periods: 200, stops: 150, seconds: 12.5}

func TestReadCgroups(t *testing.T) {
	for _, c := range []struct {
		name      string
		files     map[string]string
		cpus      float64
		throttles map[string]throttle
	}{
		{
			"version 2 in a container",
			map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n", "sys/fs/cgroup/cpu.stat": statV2},
			.5,
			map[string]throttle{"sys/fs/cgroup": stopped},
		},
		{
			"version 2 where a cgroup above has the limit",
			map[string]string{
				"proc/self/cgroup":                        "0::/pods/a/load\n",
				"sys/fs/cgroup/cpu.stat":                  "usage_usec 9\nuser_usec 5\nsystem_usec 4\n",
				"sys/fs/cgroup/pods/cpu.max":              "1600000 100000\n",
				"sys/fs/cgroup/pods/a/cpu.max":            "200000 100000\n",
				"sys/fs/cgroup/pods/a/cpu.stat":           statV2,
				"sys/fs/cgroup/pods/a/load/cpu.max":       "max 100000\n",
				"sys/fs/cgroup/pods/a/load/cgroup.events": "",
			},
			2,
			map[string]throttle{"sys/fs/cgroup/pods/a": stopped},
		},
		{
			"version 1",
			map[string]string{
				"proc/self/cgroup": "9:name=systemd:/\n5:cpuset:/x\n4:cpu,cpuacct:/docker/ab\n0::/\n",
				"sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_quota_us":  "150000\n",
				"sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_period_us": "100000\n",
				"sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.stat":          statV1,
				"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":            "-1\n",
				"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us":           "100000\n",
			},
			1.5,
			map[string]throttle{"sys/fs/cgroup/cpu,cpuacct/docker/ab": stopped},
		},
		{
			"version 1 in a container, with the host's path",
			map[string]string{
				"proc/self/cgroup": "4:cpuacct,cpu:/docker/ab\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "10000\n",
				"sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n", "sys/fs/cgroup/cpu/cpu.stat": statV1,
			},
			.1,
			map[string]throttle{"sys/fs/cgroup/cpu": stopped},
		},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, math.Inf(1), nil},
		{"nothing to read", nil, math.Inf(1), nil},
		{"a path that leaves the mount", map[string]string{"proc/self/cgroup": "0::/../../..\n", "sys/fs/cgroup/cpu.max": "3 1\n"}, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readCgroups(files(c.files))
			require.Equal(t, c.cpus, got.cpus) //nolint:testifylint // quotients of the same numbers are equal, +Inf too
			if c.throttles == nil {
				c.throttles = map[string]throttle{}
			}
			require.Equal(t, c.throttles, got.throttles)
		})
	}
}

func TestThrottledShare(t *testing.T) {
	for _, c := range []struct {
		name string
		then throttle
		want float64
		ok   bool
	}{
		{"one CPU", throttle{20, 9, 1.8}, .18, true},
		{"many CPUs stopped together: no more than the periods with a stop", throttle{20, 10, 32}, .5, true},
		{"no work", throttle{}, 0, true},
		{"counters that fell", throttle{-1, 0, 0}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := throttle{stopped.periods + c.then.periods, stopped.stops + c.then.stops, stopped.seconds + c.then.seconds}
			share, ok := now.share(stopped, 10)
			require.Equal(t, c.ok, ok)
			require.InDelta(t, c.want, share, 1e-9)
		})
	}
	_, ok := stopped.share(throttle{}, 0)
	require.False(t, ok, "no time has passed")
}

func FuzzParseMembership(f *testing.F) {
	f.Add("0::/\n")
	f.Add("4:cpu,cpuacct:/docker/a:b\n0::/../x\n")
	f.Add("::\n1:cpu:relative")
	f.Fuzz(func(t *testing.T, text string) {
		m, ok := parseMembership(text)
		if !ok {
			require.Equal(t, membership{}, m)
			return
		}
		require.Equal(t, byte('/'), m.path[0])
		for _, folder := range m.folders(files(map[string]string{"sys/fs/cgroup/cpu/cpu.stat": statV1})) {
			require.Contains(t, folder, cgroupMount)
		}
	})
}

func FuzzParseCPUMax(f *testing.F) {
	f.Add("max 100000\n")
	f.Add("50000 100000")
	f.Add("-1 0")
	f.Fuzz(func(t *testing.T, text string) {
		cpus, ok := parseCPUMax(text)
		require.Equal(t, ok, cpus > 0)
	})
}

func FuzzParseThrottle(f *testing.F) {
	f.Add(statV1)
	f.Add(statV2)
	f.Add("nr_periods x\nthrottled_usec\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := parseThrottle(text)
		require.False(t, got.periods < 0 || got.stops < 0 || got.seconds < 0)
		share, ok := got.share(throttle{}, 1)
		require.True(t, ok)
		require.True(t, share >= 0 && share <= 1)
	})
}
