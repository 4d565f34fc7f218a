// Package host is a worker process: its configuration, its connection to Temporal, its task queues and its health.
package host

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/swapgate/swapgate/activities"
	"github.com/swapgate/swapgate/pkg/traffic/command"
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
	// Shards is how load workers that share a step find each other.
	Shards activities.Shards
	// Commands are the programs that routes of kind command may name.
	Commands command.Programs
	// Slack is how this process hears the buttons of Slack messages.
	Slack Slack
	// Feedback is where this process takes what applications report.
	Feedback Feedback
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
	var roles, format, commands string
	fs := flag.NewFlagSet("swapgate-worker", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&roles, "role", "all", "what this process does: control, load, gpu or all; several with commas")
	fs.StringVar(&o.Health, "health", ":8080", "listen address of /healthz, /readyz and /metrics; empty serves none")
	fs.StringVar(&o.GPUHost, "gpu-host", hostname, "name of this host in telemetry.sources[].host, for role gpu")
	fs.DurationVar(&o.StopTimeout, "stop-timeout", 60*time.Second, "how long a stop waits for running activities")
	fs.StringVar(&o.Shards.Listen, "shard-listen", ":0",
		"for role load: where this process listens when it conducts a step that several load workers share; port 0 takes any")
	fs.StringVar(&o.Shards.Advertise, "shard-advertise", "",
		"for role load: host, or host:port, at which other load workers reach that; by default all addresses of this host")
	fs.DurationVar(&o.Shards.JoinWithin, "shard-join-timeout", 2*time.Minute,
		"for role load: how long a step waits for all its load workers to begin")
	fs.StringVar(&commands, "commands", "",
		"for role control: file that lists the programs which a route of kind command may name; without it there are none")
	completeSlack, completeFeedback := o.Slack.flags(fs), o.Feedback.flags(fs)
	fs.StringVar(&format, "log", "json", "log format: json or text")
	if err := fs.Parse(args); err != nil {
		return Options{}, err
	}
	o.LogJSON = format == "json"
	for r := range strings.SplitSeq(roles, ",") {
		o.Roles = append(o.Roles, Role(strings.TrimSpace(r)))
	}
	problems := o.validate(format, fs.Args())
	if commands != "" {
		var err error
		if o.Commands, err = command.Load(commands); err != nil {
			problems = errors.Join(problems, fmt.Errorf("--commands: %w", err))
		}
	}
	problems = errors.Join(problems, completeSlack(), completeFeedback())
	return o, problems
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
	if _, _, err := net.SplitHostPort(o.Shards.Listen); err != nil {
		problems = append(problems, fmt.Errorf("--shard-listen: must be host:port or :port, got %q", o.Shards.Listen))
	}
	if o.Shards.JoinWithin <= 0 {
		problems = append(problems, fmt.Errorf("--shard-join-timeout: must be positive, got %s", o.Shards.JoinWithin))
	}
	if err := o.Slack.validate(); err != nil {
		problems = append(problems, err)
	}
	if format != "json" && format != "text" {
		problems = append(problems, fmt.Errorf("--log: %q is neither json nor text", format))
	}
	if len(rest) > 0 {
		problems = append(problems, fmt.Errorf("unexpected arguments: %s", strings.Join(rest, " ")))
	}
	return errors.Join(problems...)
}
