package phrase

import (
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Word is a decision as one upper-case word. An unknown decision reads as UNKNOWN: it is never taken for a pass.
func Word(d swap.Decision) string {
	switch d {
	case swap.Pass, swap.Fail, swap.Inconclusive, swap.Aborted, swap.Errored:
		return strings.ToUpper(string(d))
	}
	return "UNKNOWN"
}

// Symbol is a one-character sign of a decision, told apart by its shape.
func Symbol(d swap.Decision) string {
	switch d {
	case swap.Pass:
		return "✔"
	case swap.Fail:
		return "✘"
	case swap.Inconclusive:
		return "?"
	case swap.Aborted:
		return "■"
	}
	return "!"
}

// Meaning says in one sentence what a decision is, for a run whose summary is missing.
func Meaning(d swap.Decision) string {
	switch d {
	case swap.Pass:
		return "Every gate held: the candidate is within all margins."
	case swap.Fail:
		return "The candidate is worse than a margin allows."
	case swap.Inconclusive:
		return "The evidence does not decide: nothing is promoted."
	case swap.Aborted:
		return "The run was stopped before it could be judged."
	case swap.Errored:
		return "The run could not measure, so nothing was judged."
	}
	return "The verdict is of a kind that this version does not know."
}

// Summary is the verdict's own sentence, or what its decision means.
func Summary(v swap.Verdict) string {
	if s := Clean(v.Summary); s != "" {
		return s
	}
	return Meaning(v.Verdict)
}

// Reason is a reason as one sentence, with its subject in front unless the message names it.
func Reason(r swap.Reason) string {
	subject, message := Clean(r.Subject), Clean(r.Message)
	switch {
	case message == "" && subject == "":
		return Clean(r.Code)
	case message == "":
		return subject
	case subject == "" || strings.Contains(plain(message), plain(subject)):
		return message
	}
	return subject + ": " + message
}

// plain makes "ttft_p99" and "TTFT P99" the same.
func plain(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", " ")) }

// Model names the model of an arm and the engine that serves it.
func Model(a swap.ArmFacts) string {
	model, engine := Clean(a.Model), strings.TrimSpace(Clean(a.Engine)+" "+Clean(a.Version))
	switch {
	case model == "" && engine == "":
		return NA
	case engine == "":
		return model
	case model == "":
		return engine
	}
	return model + " on " + engine
}
