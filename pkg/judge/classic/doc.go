// Package classic holds older rules of judging as they are stated, so that a team can follow them or see what they would have
// said. It is pure. None of them decides a verdict: package judge does.
//
// Each rule is a type whose fields are its options. It says that it fires, that it does not, or why it cannot be computed, with the
// number and its threshold (Reading). Beside what a rule says stands what it is worth: Reach tells under which plan it can never
// fire, and how often it fires where nothing differs. Chances take requests as independent and latencies as log-normal; requests
// that share a queue depend on each other, and then every rule on single requests fires more often still.
//
// Arithmetic that has a use of its own is in package stats and below it; here it only gets its stated constants.
package classic
