package config

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// checkMeaning reports what no schema can express: fields that contradict each other.
func checkMeaning(r *reporter, spec swap.Spec) {
	checkFilled(r)
	checkArms(r, spec)
	checkWorkload(r, spec.Workload)
	checkWarmUp(r, spec.WarmUp)
	checkLoad(r, spec)
	checkGates(r, spec.Gates, spec.Workload.API)
	checkOpinions(r, spec.Judge.Opinions, spec.Workload.API)
	checkTelemetry(r, spec.Telemetry)
	if spec.Rollout != nil {
		checkRollout(r, *spec.Rollout)
	}
	if spec.InPlace != nil {
		checkInPlace(r, spec)
	}
	checkWatch(r, spec.Watch)
	checkModelSizes(r, spec.ModelSizes)
	checkNotify(r, spec.Notify)
	checkStore(r, spec.Store)
	checkSecretRefs(r)
}

// checkFilled reports fields that neither the file nor the environment gives.
func checkFilled(r *reporter) {
	for _, e := range fromEnvironment {
		p := at(e.group, e.field)
		if r.root.find(p) == nil {
			r.value(p, "is required: write it here or set the environment variable %s", e.variable)
		}
	}
}

// checkSecretRefs reports credentials that are not named by exactly one of env and file, or that seem to be written out.
func checkSecretRefs(r *reporter) {
	r.root.walk(nil, func(p path, n *node) {
		if !isSecretRef(p) || n.kind != objectNode {
			return
		}
		if (n.fields["env"] == nil) == (n.fields["file"] == nil) {
			r.value(p, "must have exactly one of env and file")
		}
		if looksSecret(n.text("env")) {
			r.value(p.child("env"), literalSecret)
		}
	})
}

func checkWarmUp(r *reporter, w swap.WarmUp) {
	if w.MinRequests > w.MaxRequests {
		r.valueUsing(at("warm_up", "min_requests"), []path{at("warm_up", "max_requests")},
			"must be at most max_requests (%d), got %d", w.MaxRequests, w.MinRequests)
	}
}

func checkTelemetry(r *reporter, t swap.Telemetry) {
	for i, s := range t.Sources {
		p := at("telemetry", "sources", i)
		using := []path{p.child("kind")}
		switch s.Kind {
		case swap.SourceDCGM:
			if s.URL == "" {
				r.valueUsing(p.child("url"), using, "is required for kind dcgm: the URL of the exporter's metrics page")
			}
			if s.Host != "" {
				r.valueUsing(p.child("host"), using, "belongs to kind nvml; dcgm has url")
			}
			checkURL(r, p.child("url"), s.URL)
		case swap.SourceNVML:
			if s.Host == "" {
				r.valueUsing(p.child("host"), using, "is required for kind nvml: the host whose GPU worker reads the GPUs")
			}
			if s.URL != "" {
				r.valueUsing(p.child("url"), using, "belongs to kind dcgm; nvml has host")
			}
		case swap.SourceEngine:
		}
	}
}

func checkNotify(r *reporter, n swap.Notify) {
	checkURL(r, at("notify", "temporal_ui"), n.TemporalUI)
	checkURL(r, at("notify", "report_base_url"), n.ReportBaseURL)
	if n.Slack != nil {
		checkURL(r, at("notify", "slack", "api_url"), n.Slack.APIURL)
		checkApprovers(r, *n.Slack)
	}
}

func checkApprovers(r *reporter, s swap.Slack) {
	if len(s.Approvers) > 0 && s.Token == nil {
		r.value(at("notify", "slack", "token"), "is needed where approvers are listed: without it no message is posted, and none has buttons")
	}
	p := at("notify", "slack", "approvers")
	for i, id := range s.Approvers {
		if slices.Contains(s.Approvers[:i], id) {
			r.value(p.child(i), "%s is listed twice", id)
		}
	}
}
