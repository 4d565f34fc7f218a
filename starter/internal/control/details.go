package control

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// summaryLimit keeps a summary on one line of the Temporal UI, in characters.
	summaryLimit = 120
	// cellLimit keeps a table readable, in characters.
	cellLimit = 300
)

// requestDetails is the request as a Markdown table for the head of a run's page.
func requestDetails(req swap.Request) string {
	s := req.Spec
	var t table
	t.row("target", s.Target)
	t.row("baseline", s.Baseline.Model+" at "+s.Baseline.URL)
	t.row("candidate", s.Candidate.Model+" at "+s.Candidate.URL)
	t.row("load", describeLoad(s.Load))
	t.row("gates", describeGates(s.Gates))
	t.row("rollout", describeRollout(s.Rollout))
	t.row("run store", s.Store.Endpoint+" "+s.Store.Bucket+"/"+s.Store.Prefix)
	t.row("specification", req.SpecSHA256)
	t.row("requested by", req.RequestedBy)
	for _, k := range slices.Sorted(maps.Keys(req.Labels)) {
		t.row(k, req.Labels[k])
	}
	return t.String()
}

func rollbackDetails(req swap.RollbackRequest) string {
	var t table
	t.row("target", req.Target)
	switch {
	case req.Snapshot != nil:
		t.row("snapshot", req.Snapshot.URI)
	case req.SnapshotID != "":
		t.row("snapshot", req.SnapshotID)
	default:
		t.row("snapshot", "the newest")
	}
	t.row("run store", req.Store.Endpoint+" "+req.Store.Bucket+"/"+req.Store.Prefix)
	t.row("reason", req.Reason)
	t.row("requested by", req.RequestedBy)
	return t.String()
}

func describeLoad(l swap.Load) string {
	steps := make([]string, len(l.Steps))
	for i, s := range l.Steps {
		level := fmt.Sprintf("%g req/s", s.Rate)
		if s.Concurrency > 0 {
			level = fmt.Sprintf("concurrency %d", s.Concurrency)
		}
		steps[i] = fmt.Sprintf("%s for %s", level, s.Hold)
	}
	return fmt.Sprintf("%s per arm, in blocks of %s", strings.Join(steps, ", "), l.Block)
}

func describeGates(gates []swap.Gate) string {
	parts := make([]string, len(gates))
	for i, g := range gates {
		switch {
		case !g.HasLimit():
			parts[i] = fmt.Sprintf("%s within %g %s", g.Name(), g.Margin, g.Unit)
		case g.Better == swap.HigherIsBetter:
			parts[i] = fmt.Sprintf("%s above %g", g.Name(), g.Limit)
		default:
			parts[i] = fmt.Sprintf("%s below %g", g.Name(), g.Limit)
		}
	}
	return strings.Join(parts, ", ")
}

func describeRollout(r *swap.Rollout) string {
	if r == nil {
		return "none: no traffic is moved"
	}
	parts := make([]string, len(r.Weights))
	for i, w := range r.Weights {
		parts[i] = fmt.Sprintf("%d %%", w)
		if slices.Contains(r.ApproveAt, w) {
			parts[i] += " (after approval)"
		}
	}
	return strings.Join(parts, " → ") + " through " + r.Route.URL
}

// table builds a two-column Markdown table whose cells cannot break out of it.
type table struct{ b strings.Builder }

func (t *table) row(name, value string) {
	if t.b.Len() == 0 {
		t.b.WriteString("| | |\n|---|---|\n")
	}
	fmt.Fprintf(&t.b, "| %s | %s |\n", cell(name), cell(value))
}

func (t *table) String() string { return t.b.String() }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "\r", " ", "\n", " ",
)

func cell(s string) string { return markdownEscapes.Replace(html.EscapeString(cut(s, cellLimit))) }

// cut shortens s to limit characters, the last of them an ellipsis where something is missing.
func cut(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit-1]) + "…"
}
