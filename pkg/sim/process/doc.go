// Package process generates request latencies of known truth: a marginal distribution whose quantiles have a formula, with
// the dependence that real measurements have. It is what the error rates of a judge are proven on. It is pure and seeded.
//
// A value is
//
//	marginal value at z × shift × launch effect × drift at the block's time
//
// where z is standard normal: in each block it is the sum of an AR(1) process, which starts anew as when a block drains
// before the next, and of independent noise.
package process
