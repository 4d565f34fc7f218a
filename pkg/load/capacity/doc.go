// Package capacity reads where a server saturates from its load steps. It is pure.
//
// Growth is elastic: the growth of the logarithm of throughput over that of the load. It is 1 while twice the load gives
// twice the throughput and 0 where more load gives nothing more, whatever the units and however the steps are spaced.
//
// The knee is the last step up to which growth lasts: the first step beyond which growth is at least 40 % less than the average
// growth from the first step up to it. Growth over one gap only would depend too much on noise, and on how wide the gap is.
// Where steps are so close that noise hides a fall of 40 %, growth is taken to the next step that is far enough.
//
// Beside it stands the bend: the knee by Kneedle, which needs no limit, confirmed where the universal scalability law has its
// highest throughput within the loads measured (see package knee).
//
// Saturation is the first step that adds no throughput beyond noise to the best before it, or that a limit ended.
package capacity
