// Package drift says what a change of a served model against its own past calls for. It is pure.
//
// Decide acts on the confidence bounds of a change. Point acts on its estimate alone, as the usual drift matrix does: it reports
// a healthy service as often as chance puts an estimate past a limit. With a standard error of 2 % an estimate is off by more than
// 3 % on 13 % of all days, on half of them for the worse.
package drift
