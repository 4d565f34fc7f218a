package config

import (
	"strconv"
	"strings"
	"time"
)

// durationRange bounds a field that holds a duration; both ends are allowed.
type durationRange struct{ min, max time.Duration }

// durationRanges holds every duration of the specification and what is plausible for it.
var durationRanges = map[string]durationRange{
	"workload.topology.think_time":   {0, time.Hour},
	"workload.request_timeout":       {time.Second, time.Hour},
	"warm_up.max_duration":           {time.Second, time.Hour},
	"load.steps[].think_time":        {0, time.Hour},
	"load.steps[].spike.after":       {0, time.Hour},
	"load.steps[].spike.for":         {100 * time.Millisecond, time.Hour},
	"load.steps[].token_rate.burst":  {time.Millisecond, time.Minute},
	"load.steps[].hold":              {time.Second, longestHold},
	"load.block":                     {time.Second, time.Hour},
	"load.settle":                    {0, time.Hour},
	"load.extend.max_hold":           {time.Second, longestHold},
	"load.limits.ttft_p95":           {time.Millisecond, time.Hour},
	"load.limits.e2e_p95":            {time.Millisecond, time.Hour},
	"load.calibration.duration":      {500 * time.Millisecond, time.Minute},
	"load.calibration.token_error":   {100 * time.Microsecond, time.Second},
	"load.calibration.send_lateness": {100 * time.Microsecond, time.Second},
	"telemetry.interval":             {100 * time.Millisecond, 5 * time.Minute},
	"rollout.window":                 {time.Second, 24 * time.Hour},
	"rollout.steps[].min_time":       {0, 30 * 24 * time.Hour},
	"rollout.settle":                 {0, time.Hour},
	"rollout.feedback.grace":         {0, 24 * time.Hour},
	"rollout.approve_timeout":        {time.Second, 30 * 24 * time.Hour},
	"in_place.timeout":               {time.Second, 2 * time.Hour},
	"in_place.observe":               {time.Second, time.Hour},
	"watch.block_for":                {time.Minute, 90 * 24 * time.Hour},
}

// longestHold bounds a step, listed or made by a gradient, and its prolongation.
const longestHold = 24 * time.Hour

// durationPattern is the form of a duration: Go's, without sign and without units below a millisecond.
const durationPattern = `^([0-9]{1,9}(\.[0-9]{1,9})?(ms|s|m|h))+$`

func isDuration(p path) bool {
	_, ok := durationRanges[p.field()]
	return ok
}

// checkDurations reports durations outside their range.
func checkDurations(r *reporter) {
	r.root.walk(nil, func(p path, n *node) {
		limits, ok := durationRanges[p.field()]
		if !ok || r.spoiled(p) {
			return
		}
		text, _ := n.scalar.(string)
		d, err := time.ParseDuration(text)
		switch {
		case err != nil:
			r.value(p, "%s", durationMessage(n, show(p, n.raw)))
		case d < limits.min:
			r.value(p, "must be at least %s, got %s", short(limits.min), text)
		case d > limits.max:
			r.value(p, "must be at most %s, got %s", short(limits.max), text)
		}
	})
}

// short formats a duration without trailing zero units and in units that a file may hold: 2m, not 2m0s; 0.5ms, not 500µs.
func short(d time.Duration) string {
	if 0 < d && d < time.Millisecond {
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64) + "ms"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
