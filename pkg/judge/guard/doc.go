// Package guard watches a candidate slice by slice while it has traffic, and may be asked after every slice: its chance of a
// false alarm is bounded over the whole time that it watches, however often it is asked (always-valid inference; Johari,
// Pekelis and Walsh 2022).
//
// Each gate yields one number a slice, the difference between the arms in that slice, so that whatever slows both arms
// cancels out and requests of a slice need not be independent of each other. An asymptotic confidence sequence
// (Waudby-Smith et al., arXiv 2103.06476, equation 134) bounds the mean of these numbers, and the guard fires once the bound
// is beyond the margin, with Holm's correction over the gates. Among a few slices Student's t distribution takes
// the place of the normal one.
//
// A quantile is watched by the shares of requests in the tail: those of the candidate above (1+δ)·T, less those of the
// baseline above T, where T is the baseline's quantile. The mean of that difference is above 0 exactly when the candidate's
// quantile has risen by more than δ.
//
// The guard can only fail a candidate. It never passes one: that is for the planned looks of the judge.
//
// The package is pure. A State is a value that survives JSON.
package guard
