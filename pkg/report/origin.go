package report

import (
	"maps"
	"slices"
	"strconv"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

type finding struct {
	Severity, Subject, Message, Next string
}

// findings puts the gravest first and keeps the order within a severity.
func findings(all []swap.Finding) []finding {
	rank := map[swap.Severity]int{swap.Blocking: 0, swap.Notable: 1, swap.Harmless: 2}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b swap.Finding) int { return rank[a.Severity] - rank[b.Severity] })
	var out []finding
	for _, f := range sorted {
		severity := f.Severity
		if _, known := rank[severity]; !known {
			severity = swap.Notable
		}
		out = append(out, finding{
			Severity: string(severity), Subject: phrase.Clean(f.Subject),
			Message: phrase.Clean(f.Message), Next: phrase.Clean(f.Next),
		})
	}
	return out
}

// originSection says where the verdict comes from.
type originSection struct {
	Facts   []fact
	Arms    []armRow
	Objects []objectRow
}

type armRow struct {
	Arm, Model, Engine, Version, Fingerprint, URL, Context string
}

type objectRow struct{ What, URI, SHA256, Bytes, Rows, Schema string }

func newOriginSection(v swap.Verdict) originSection {
	p := v.Provenance
	s := originSection{Facts: []fact{
		{Name: "Run", Value: orNA(p.RunID), Code: true},
		{Name: "Workflow", Value: orNA(p.WorkflowID), Code: true},
		{Name: "Requested by", Value: orNA(p.RequestedBy)},
		{Name: "Started", Value: moment(p.Started)},
		{Name: "Ended", Value: moment(p.Ended)},
		{Name: "swapgate", Value: orNA(p.Version), Code: true},
		{Name: "Seed", Value: strconv.FormatUint(p.Seed, 10), Code: true},
		{Name: "Spec SHA-256", Value: orNA(p.SpecSHA256), Code: true},
		{Name: "Evidence SHA-256", Value: orNA(p.EvidenceSHA256), Code: true},
	}}
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		s.Facts = append(s.Facts, fact{Name: "Label " + phrase.Clean(key), Value: orNA(p.Labels[key])})
	}
	for _, arm := range swap.Arms {
		s.Arms = append(s.Arms, newArmRow(arm, v.Arms.Get(arm)))
	}
	s.Objects = objects(v)
	return s
}

func newArmRow(arm swap.Arm, a swap.ArmFacts) armRow {
	return armRow{
		Arm: string(arm), Model: orNA(a.Model), Engine: orNA(a.Engine), Version: orNA(a.Version),
		Fingerprint: orNA(a.Fingerprint), URL: orNA(a.URL), Context: phrase.Quantity(a.MaxModelLen, "tokens"),
	}
}

// objects lists what the run store holds of the run.
func objects(v swap.Verdict) []objectRow {
	var rows []objectRow
	add := func(what string, ref *swap.ObjectRef) {
		if ref != nil && ref.URI != "" {
			rows = append(rows, newObjectRow(what, *ref))
		}
	}
	for _, s := range v.Steps {
		add("Step "+phrase.Clean(s.Label), &s.Manifest)
	}
	for _, t := range v.Telemetry {
		for _, table := range t.Samples {
			add("Telemetry", &table)
		}
	}
	add("Baseline", v.Baseline)
	add("Snapshot", v.Snapshot)
	if v.Rollout != nil {
		for i := range v.Rollout.Windows {
			add("Window "+phrase.Count(v.Rollout.Windows[i].Index), &v.Rollout.Windows[i].Raw)
		}
	}
	add("Verdict", v.Artifacts.Verdict)
	add("Report", v.Artifacts.Report)
	return rows
}

func newObjectRow(what string, ref swap.ObjectRef) objectRow {
	row := objectRow{
		What: what, URI: phrase.Clean(ref.URI), SHA256: orNA(ref.SHA256), Schema: orNA(ref.Schema),
		Bytes: phrase.Count(int(ref.Bytes)), Rows: phrase.NA,
	}
	if ref.Rows > 0 {
		row.Rows = phrase.Count(int(ref.Rows))
	}
	return row
}

func orNA(s string) string {
	if s = phrase.Clean(s); s == "" {
		return phrase.NA
	}
	return s
}
