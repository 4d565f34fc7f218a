// Package rollout decides how live traffic moves to the candidate, window by window. It is pure: observing a window and
// setting weights happen elsewhere.
//
// The offline gates carry the statistics. A rollout guards against what they could not see, so a window has to be quiet
// rather than to prove anything anew. A window is judged in this order, and the first that applies decides:
//
//  1. The guard fired while the window ran, or fires on its sums or on the sums of all windows: roll back.
//  2. The gateway's weights are not those that were set: somebody else moves the traffic, so roll back.
//  3. The window decides nothing, because the realised share of traffic differs from the weights (χ², or exactly for small
//     counts, p < .001), too many probes have no known arm, or too few requests were made: hold and repeat it. After
//     max_extensions repetitions at one weight: stop.
//  4. Otherwise the window counts. After windows_per_weight of them advance to the next weight; after the last, promote.
//
// Enough requests means min_requests over both arms together, live traffic that the gateway counts included, and
// min_requests on each arm whose share of the traffic gives it at least twice that in a window. At a small weight such as
// 1 % the candidate cannot reach min_requests in a window; there a quiet guard and enough requests overall are all that is
// asked, and the sums over all windows let the guard's error rate be judged as candidate requests add up.
//
// Stop means that nothing is promoted: everything goes back to the baseline and the verdict is inconclusive.
package rollout
