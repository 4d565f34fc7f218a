// Package host is a worker process: its configuration, its connection to Temporal, its task queues and its health.
package host

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Role is a kind of work that a process takes on.
type Role string

// The roles. All takes on the three others, which suits a laptop and not a measurement.
const (
	RoleControl Role = "control"
	RoleLoad    Role = "load"
	RoleGPU     Role = "gpu"
	RoleAll     Role = "all"
)

// Options configure a worker process.
type Options struct {
	Roles []Role
	// Health is the listen address of /healthz, /readyz and /metrics; empty serves none.
	Health string
	// GPUHost names the task queue of the GPU role.
	GPUHost string
	// StopTimeout is how long a stop waits for activities.
	StopTimeout time.Duration
	// LogJSON logs JSON lines; otherwise text.
	LogJSON bool
}

// Has reports whether the process takes on a role.
func (o Options) Has(r Role) bool {
	return slices.Contains(o.Roles, r) || slices.Contains(o.Roles, RoleAll)
}

// ParseOptions reads the command line. All problems are reported at once.
func ParseOptions(args []string, stderr io.Writer) (Options, error) {
	hostname, err := os.Hostname()
	if err != nil {
		hostname = ""
	}
	var o Options
	var roles, format string
	fs := flag.NewFlagSet("swapgate-worker", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&roles, "role", "all", "what this process does: control, load, gpu or all; several with commas")
	fs.StringVar(&o.Health, "health", ":8080", "listen address of /healthz, /readyz and /metrics; empty serves none")
	fs.StringVar(&o.GPUHost, "gpu-host", hostname, "name of this host in telemetry.sources[].host, for role gpu")
	fs.DurationVar(&o.StopTimeout, "stop-timeout", 60*time.Second, "how long a stop waits for running activities")
	fs.StringVar(&format, "log", "json", "log format: json or text")
	if err := fs.Parse(args); err != nil {
		return Options{}, err
	}
	o.LogJSON = format == "json"
	for r := range strings.SplitSeq(roles, ",") {
		o.Roles = append(o.Roles, Role(strings.TrimSpace(r)))
	}
	return o, o.validate(format, fs.Args())
}

func (o Options) validate(format string, rest []string) error {
	var problems []error
	for _, r := range o.Roles {
		if !slices.Contains([]Role{RoleControl, RoleLoad, RoleGPU, RoleAll}, r) {
			problems = append(problems, fmt.Errorf("--role: %q is none of control, load, gpu, all", r))
		}
	}
	if o.Has(RoleGPU) && o.GPUHost == "" {
		problems = append(problems, errors.New("--gpu-host: this host has no name of its own; give it one"))
	}
	if o.StopTimeout < 0 {
		problems = append(problems, fmt.Errorf("--stop-timeout: must not be negative, got %s", o.StopTimeout))
	}
	if format != "json" && format != "text" {
		problems = append(problems, fmt.Errorf("--log: %q is neither json nor text", format))
	}
	if len(rest) > 0 {
		problems = append(problems, fmt.Errorf("unexpected arguments: %s", strings.Join(rest, " ")))
	}
	return errors.Join(problems...)
}
