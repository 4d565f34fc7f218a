// Package arrival plans when the requests of an open loop are sent.
//
// A plan is drawn from a renewal process of rate 1 that is in equilibrium when the block begins: its first gap comes from
// the equilibrium distribution of the gaps, so that the mean number of arrivals of every window is exact and not only that of
// long ones (Cox, Renewal Theory, 1962, section 2.3). A rate that changes over the block is laid on it by time rescaling: an
// arrival at x of the process of rate 1 becomes one at Λ⁻¹(x), with Λ the cumulative rate.
//
// Everything is a pure function of its arguments. Random numbers come from PCG with the seed and a constant combined with the
// stream, and from them by methods that are written out here, so that a seed keeps its meaning.
package arrival
