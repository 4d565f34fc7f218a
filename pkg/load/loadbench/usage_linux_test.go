package loadbench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// usage is what this process has used so far.
type usage struct {
	at time.Time
	// cpu is the CPU time of this process, server that of the metronome.
	cpu, server time.Duration
	// rss is the memory in use now, in MB.
	rss float64
}

// mark takes stock; server is the process id of the metronome.
func mark(server int) (usage, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return usage{}, err
	}
	u := usage{at: time.Now(), cpu: time.Duration(r.Utime.Nano() + r.Stime.Nano())}
	memory, err := numbers("/proc/self/statm", 1)
	if err != nil {
		return usage{}, err
	}
	u.rss = float64(memory[0]*os.Getpagesize()) / (1 << 20)
	ticks, err := numbers(fmt.Sprintf("/proc/%d/stat", server), 13, 14)
	if err != nil {
		return usage{}, err
	}
	u.server = time.Duration(ticks[0]+ticks[1]) * tick
	return u, nil
}

// tick is the unit in which the kernel reports the CPU time of another process.
const tick = 10 * time.Millisecond

// numbers are fields of a file of /proc. The names of our processes, which are among the fields, hold no space.
func numbers(path string, fields ...int) ([]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	words := bytes.Fields(text)
	out := make([]int, len(fields))
	for i, field := range fields {
		if out[i], err = strconv.Atoi(string(words[field])); err != nil {
			return nil, err
		}
	}
	return out, nil
}
