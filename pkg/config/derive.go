package config

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The functions here are the defaults that depend on other fields of their group.

func whereTextIsSynthetic(workload *node) any {
	api := swap.API(workload.text("api"))
	switch {
	case workload.fields["prompt_file"] != nil || api == swap.APITranscriptions:
		return nil
	case api == swap.APIImages:
		return imagePrompt
	}
	return emptyGroup
}

// imagePrompt is the length of the descriptions of images: a sentence, which every text encoder takes whole (CLIP's holds
// 77 tokens).
var imagePrompt = map[string]any{"median": int64(24), "sigma": 0.0}

func whereTokensAreMade(workload *node) any {
	if swap.API(workload.text("api")).Unit() != swap.UnitTokens {
		return nil
	}
	return emptyGroup
}

func onlyFor(api swap.API) func(*node) any {
	return func(workload *node) any {
		if swap.API(workload.text("api")) != api {
			return nil
		}
		return emptyGroup
	}
}

func sessionPause(topology *node) any {
	if swap.Shape(topology.text("shape")) != swap.ShapeSession {
		return nil
	}
	return "1s"
}

func unlessGradient(load *node) any {
	if load.fields["gradient"] != nil {
		return nil
	}
	return defaultSteps
}

func unlessWeights(reaction *node) any {
	if reaction.fields["weights"] != nil {
		return nil
	}
	return string(swap.ScenarioFinance)
}

func forRule(rule swap.SteadyRule, value float64) func(*node) any {
	return func(extend *node) any {
		if swap.SteadyRule(extend.text("rule")) != rule {
			return nil
		}
		return value
	}
}

// mostHold is the stated cap for the stated rule; the sound rule needs more blocks to know.
func mostHold(extend *node) any {
	if swap.SteadyRule(extend.text("rule")) == swap.SteadyCV {
		return "5m"
	}
	return "10m"
}

func gatesByAPI(root *node) any {
	if swap.API(root.fields["workload"].text("api")).Unit() != swap.UnitTokens {
		return wholeAnswerGates
	}
	return defaultGates
}

// lengthSpan is how far the shortest and longest length are from the median, as a factor.
const lengthSpan = 16

func shortestLength(lengths *node) any {
	return max(1, lengths.integer("median")/lengthSpan)
}

func longestLength(lengths *node) any {
	const longest = 1_000_000
	return min(longest, lengths.integer("median")*lengthSpan)
}

// longestAudioSeconds bounds recordings: load workers hold them in memory.
const longestAudioSeconds = 3600

func longestRecording(lengths *node) any {
	return min(longestAudioSeconds, lengths.integer("median")*lengthSpan)
}

func fewestWarmUp(warmUp *node) any {
	const fewest = 20
	if warmUp.fields["max_requests"] != nil {
		return min(fewest, warmUp.integer("max_requests"))
	}
	return int64(fewest)
}

func mostWarmUp(warmUp *node) any {
	return max(200, warmUp.integer("min_requests"))
}

func gateStat(gate *node) any {
	switch swap.Metric(gate.text("metric")) {
	case swap.MetricThroughput, swap.MetricErrorRate:
		return string(swap.StatRate)
	case swap.MetricOutputTokens, swap.MetricQuality:
		return string(swap.StatMean)
	}
	return nil
}

func gateUnit(gate *node) any {
	if hasLimit(gate) {
		return string(swap.Absolute)
	}
	return string(unitOf(swap.Metric(gate.text("metric"))))
}

func hasLimit(gate *node) bool { return swap.Reference(gate.text("vs")) == swap.AgainstSLO }

func unitOf(m swap.Metric) swap.MarginUnit {
	if m.IsShare() {
		return swap.Absolute
	}
	return swap.Relative
}

func gateBetter(gate *node) any {
	switch swap.Metric(gate.text("metric")) {
	case swap.MetricThroughput, swap.MetricQuality:
		return string(swap.HigherIsBetter)
	case swap.MetricOutputTokens:
		if hasLimit(gate) {
			return nil
		}
		return string(swap.Either)
	}
	return string(swap.LowerIsBetter)
}

// gateMargin has no answer for a unit other than the metric's own, nor for a limit.
func gateMargin(gate *node) any {
	metric := swap.Metric(gate.text("metric"))
	margin, ok := marginOf[metric][swap.Stat(gate.text("stat"))]
	if !ok || hasLimit(gate) || swap.MarginUnit(gate.text("unit")) != unitOf(metric) {
		return nil
	}
	return margin
}

// s3Key names a key of the store, unless the file names one itself or the store is Amazon's: there the worker uses the
// usual AWS credentials.
func s3Key(variable string) func(*node) any {
	return func(store *node) any {
		for _, field := range []string{"access_key", "secret_key"} {
			if ref := store.fields[field]; ref != nil && ref.pos.known() {
				return nil
			}
		}
		if isAmazon(store.text("endpoint")) {
			return nil
		}
		return envRef(variable)
	}
}

func isAmazon(endpoint string) bool {
	_, rest, isURL := strings.Cut(endpoint, "://")
	if !isURL {
		rest = endpoint
	}
	host := rest[:len(rest)-len(strings.TrimLeft(rest, hostCharacters))]
	return strings.HasSuffix(host, ".amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn")
}

const hostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789.-"

func (n *node) text(field string) string {
	if f := n.fields[field]; f != nil {
		s, _ := f.scalar.(string)
		return s
	}
	return ""
}

// integer returns 0 for a field that is absent or no whole number.
func (n *node) integer(field string) int64 {
	if f := n.fields[field]; f != nil {
		switch v := f.scalar.(type) {
		case int64:
			return v
		case float64:
			return int64(v)
		}
	}
	return 0
}
