package config

import (
	"math"
	"strconv"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// What an open loop plans is laid out and summed up in a load worker's memory: about 100 bytes a request while its block is
// driven, and up to 24 bytes until its step is over.
const (
	mostInBlock = 10_000_000
	mostInStep  = 50_000_000
)

// checkSize reports an open loop of more requests than a load worker has memory for.
func checkSize(r *reporter, p path, s swap.Step, spec swap.Spec) {
	l := spec.Load
	planned := arrivals(s, l)
	if t := spec.Workload.Topology; t != nil {
		planned *= float64(t.Size)
	}
	if planned > mostInBlock {
		r.valueUsing(p.child("rate"), []path{at("load", "block"), at("load", "settle")},
			"plans about %s million requests in each block, and a load worker can hold %s million: lower the rate, or shorten load.block",
			millions(planned), millions(mostInBlock))
		return
	}
	blocks := int(l.LongestStep(s) / max(1, time.Duration(l.Block+l.Settle)))
	if all := planned * float64(blocks); all > mostInStep {
		r.valueUsing(p.child("rate"), []path{p.child("hold"), at("load", "extend"), at("load", "block")},
			"plans about %s million requests in the %d blocks of the step, and a load worker can hold %s million: lower the rate, "+
				"or shorten hold or load.extend.max_hold", millions(all), blocks, millions(mostInStep))
	}
}

// millions rounds to three digits.
func millions(n float64) string {
	const million = 1e6
	digits := max(0, 2-int(math.Floor(math.Log10(n/million))))
	return strconv.FormatFloat(math.Round(n/million*math.Pow10(digits))/math.Pow10(digits), 'f', -1, 64)
}
