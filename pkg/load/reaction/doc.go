// Package reaction reads from the load steps up to which load three limits are kept: the growth of the P99 of the time to the
// first token with the prompt, the knee of the throughput, and the cost of tokens. It is pure, and it decides nothing: the gates
// do.
//
// Each signal becomes a utilisation: its value over its limit, with a one-sided bound on each side. A limit is reached where the
// lower bound is at 1 or above, kept where the upper bound is below 1, and undecided between. The largest utilisation counts,
// because an arm that breaks one limit is not made better by keeping the others; the weighted sum is for an order only.
package reaction
