// Package sequential holds bounds for evidence that is looked at more than once. There are two kinds. A Boundary is for a
// few planned looks (group-sequential tests): it spends the chance of a false alarm over them. The others hold at every
// sample size at once, so that they may be looked at after each observation (mixture supermartingales, confidence
// sequences, always-valid p-values); stats.ConfidenceSequence, for means of blocks, belongs to them too. Their guarantee is
// for independent observations, or for martingale differences: requests that follow each other in a queue are neither.
//
// Every function is pure. Arguments outside their range, and NaN, give NaN unless an error is returned.
package sequential
