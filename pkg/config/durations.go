package config

import (
	"strings"
	"time"
)

// durationRange bounds a field that holds a duration; both ends are allowed.
type durationRange struct{ min, max time.Duration }

// durationRanges holds every duration of the specification and what is plausible for it.
var durationRanges = map[string]durationRange{
	"workload.request_timeout": {time.Second, time.Hour},
	"warm_up.max_duration":     {time.Second, time.Hour},
	"load.steps[].hold":        {time.Second, 24 * time.Hour},
	"load.block":               {time.Second, time.Hour},
	"load.settle":              {0, time.Hour},
	"telemetry.interval":       {100 * time.Millisecond, 5 * time.Minute},
	"rollout.window":           {time.Second, 24 * time.Hour},
	"rollout.approve_timeout":  {time.Second, 30 * 24 * time.Hour},
}

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

// short formats a duration without trailing zero units: 2m, not 2m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
