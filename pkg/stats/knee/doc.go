// Package knee finds where a curve bends: above all where the throughput of a server stops growing with its load. It is pure.
//
// Kneedle (Satopää et al. 2011) reads the knee off the curve, whatever the units and however its points are spaced. It finds
// one on any curve that is bent, so it should be confirmed: FitUSL fits the universal scalability law (Gunther), which has a
// maximum only where throughput really ends. Bootstrap says how sure both are. GrowthFall is the rule of a fall of growth by a
// share, such as 40 %, and knows about noise.
//
// ClassicSecondDifference is a rule that depends on units and spacing. It is here so that it can be followed, not to be used.
package knee
