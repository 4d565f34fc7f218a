package runstore

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Layout of the store. Keys are relative to the configured prefix.
//
//	runs/<target>/<run id>/
//	  raw/step-01/
//	    manifest.json                    which blocks count; written once, when the step is complete
//	    noticeboard.json                 where the load workers of a step find each other, if there are several
//	    block-003-candidate/
//	      sealed.json                    which attempts count, one for each load worker; the first to write it wins
//	      <attempt>/attempt.json         written when the attempt begins
//	      <attempt>/part-000.parquet     what a long block had so far; counts for nothing
//	      <attempt>/requests.parquet     all requests of the block, or of a load worker's slice of it
//	  telemetry/<attempt>/part-000.parquet
//	  rollout/window-003/<attempt>/requests.parquet
//	  swaps/swap-001/<attempt>/requests.parquet
//	  verdict.json, report.html, chart.png, slack-verdict.json
//	baselines/<target>/<time>-<run id>.json
//	registry/<target>/v000001.json       versions of a target's baseline, by package baseline/registry
//	watches/<target>/<time>-<run id>.json  results of a target's watches
//	blocks/<target>.json                 why rollouts of a target are refused
//	snapshots/<target>/…                 what to go back to, by package snapshot
//	claims/<run id>/…                    who may post a message, by package notify
//	checks/<random>                      probes, deleted at once
//
// Step, block and window numbers are padded so that names sort in the order of time. An attempt is a try of a Temporal
// activity; another try of the same attempt at a block has -t2 and so on behind it. Rule: the name of an object is never a
// directory of another's, because file-backed services cannot store both.

// AttemptPattern is what an attempt id may look like: it becomes one segment of a key.
var AttemptPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

const (
	sealedName   = "sealed.json"
	attemptName  = "attempt.json"
	requestsName = "requests.parquet"

	checkKeyPrefix = "checks/"
	sortableTime   = "20060102T150405.000Z"
)

// RunPrefix holds everything of one run.
func RunPrefix(run swap.RunKey) string { return path.Join("runs", run.Target, run.RunID) + "/" }

// StepPrefix holds the raw data of one load step.
func StepPrefix(run swap.RunKey, step int) string {
	return fmt.Sprintf("%sraw/step-%02d/", RunPrefix(run), step)
}

// StepManifestKey is the manifest of a load step.
func StepManifestKey(run swap.RunKey, step int) string {
	return StepPrefix(run, step) + "manifest.json"
}

// NoticeboardKey is where the load workers of a step find each other.
func NoticeboardKey(run swap.RunKey, step int) string {
	return StepPrefix(run, step) + "noticeboard.json"
}

// BlockPrefix holds all attempts at one block.
func BlockPrefix(run swap.RunKey, plan swap.BlockPlan) string {
	return fmt.Sprintf("%sblock-%03d-%s/", StepPrefix(run, plan.Step), plan.Block, plan.Arm)
}

func sealedKey(run swap.RunKey, plan swap.BlockPlan) string {
	return BlockPrefix(run, plan) + sealedName
}

func attemptPrefix(run swap.RunKey, plan swap.BlockPlan, attempt string) string {
	return BlockPrefix(run, plan) + attempt + "/"
}

// tryName names a try of an attempt at a block; tries count from 1.
func tryName(attempt string, try int) string {
	if try == 1 {
		return attempt
	}
	return fmt.Sprintf("%s-t%d", attempt, try)
}

func partName(part int) string { return fmt.Sprintf("part-%03d.parquet", part) }

// TelemetryPrefix holds the telemetry of a run, of all attempts.
func TelemetryPrefix(run swap.RunKey) string { return RunPrefix(run) + "telemetry/" }

// TelemetryKey is one part of the telemetry of a run; parts count from 0.
func TelemetryKey(run swap.RunKey, attempt string, part int) string {
	return TelemetryPrefix(run) + attempt + "/" + partName(part)
}

// WindowKey is the table of requests of a rollout window; windows count from 1.
func WindowKey(run swap.RunKey, window int, attempt string) string {
	return fmt.Sprintf("%srollout/window-%03d/%s/%s", RunPrefix(run), window, attempt, requestsName)
}

// SwapKey is the table of requests around a swap in place; swaps count from 1.
func SwapKey(run swap.RunKey, index int, attempt string) string {
	return fmt.Sprintf("%sswaps/swap-%03d/%s/%s", RunPrefix(run), index, attempt, requestsName)
}

// VerdictKey is the verdict of a run.
func VerdictKey(run swap.RunKey) string { return RunPrefix(run) + "verdict.json" }

// ReportKey is the report of a run, for people.
func ReportKey(run swap.RunKey) string { return RunPrefix(run) + "report.html" }

// ChartKey is the picture of a run's main charts.
func ChartKey(run swap.RunKey) string { return RunPrefix(run) + "chart.png" }

// SlackKey is a Slack message of a run; kind tells verdicts from alarms.
func SlackKey(run swap.RunKey, kind string) string { return RunPrefix(run) + kind + ".json" }

// BaselinesPrefix holds the baselines of a target; their keys sort by time.
func BaselinesPrefix(target string) string { return path.Join("baselines", target) + "/" }

// BaselineKey is the baseline that a run measured.
func BaselineKey(run swap.RunKey, measured time.Time) string {
	return BaselinesPrefix(run.Target) + measured.UTC().Format(sortableTime) + "-" + run.RunID + ".json"
}

var blockName = regexp.MustCompile(`^block-(\d+)-(baseline|candidate)$`)

// blockKey is a key under a step, taken apart.
type blockKey struct {
	plan    swap.BlockPlan // without Pair, which is not in the name
	attempt string         // empty for sealed.json
	name    string
}

// parseBlockKey takes apart a key that follows StepPrefix; ok is false for the manifest and for what is not ours.
func parseBlockKey(step int, rest string) (k blockKey, ok bool) {
	segments := strings.Split(rest, "/")
	if len(segments) < 2 || len(segments) > 3 {
		return blockKey{}, false
	}
	m := blockName.FindStringSubmatch(segments[0])
	if m == nil {
		return blockKey{}, false
	}
	block, err := strconv.Atoi(m[1])
	if err != nil {
		return blockKey{}, false
	}
	k = blockKey{plan: swap.BlockPlan{Step: step, Block: block, Arm: swap.Arm(m[2])}, name: segments[len(segments)-1]}
	if len(segments) == 3 {
		k.attempt = segments[1]
		return k, true
	}
	return k, k.name == sealedName
}
