// Package changepoint finds where the level of a series changed: in the results of many runs, or in a metric over time. It is
// pure.
//
// Detect is e-divisive with windows, Student's t-test and a merge step, as in Hunter (Fleming et al. 2023, arXiv 2301.03034)
// and its successor Apache Otava. It assumes that the values between changes are independent and roughly normal: correlated
// values give change points that are none. DetectByPermutation is e-divisive after Matteson and James 2014 (arXiv 1306.4933)
// as MongoDB uses it (Daly et al. 2020); it assumes only that the values between changes can be exchanged.
//
// The results differ from those programs where those are wrong: standard deviations divide by n−1, as the t-test wants them, a
// permutation p-value is (b+1)/(B+1) and never 0, and a segment has at least three values: one or two
// outliers make no change.
package changepoint
