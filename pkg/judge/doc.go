// Package judge decides from the evidence of the load stage whether the candidate may replace the baseline. It is pure:
// the same evidence and seed give the same verdict.
//
// The unit of statistics is the pair of blocks: two stretches of load with one schedule, one on each arm, close in time.
// Requests inside a block depend on each other, so bounds come from resampling pairs within their load step, never
// from treating requests as independent. Student's t bounds the difference, on the degrees of freedom that are left when
// one step dominates the spread. All steps are pooled: a gate speaks of the load as a whole.
//
// Each gate is a non-inferiority test with two one-sided bounds L and U on the worsening, and a margin δ:
//
//	U < δ           pass (regressed, when L > 0)
//	L > δ           fail, if it stands after Holm's correction over all gates
//	otherwise       inconclusive, with the number of blocks that would decide
//
// A pass needs every gate, so it needs no correction (an intersection-union test, Berger 1982). A failed request counts
// as the worst latency and is never left out. Missing evidence is never a pass, and a gate whose metric only a part of the
// good answers has neither passes nor fails.
package judge
