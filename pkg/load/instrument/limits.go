package instrument

import (
	"time"

	"github.com/swapgate/swapgate/pkg/load/instrument/lateness"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The limits that are not configured. Times are in ms, shares of 1.
const (
	// tokenErrorFloorMS and tokenErrorShare bound the P99 of the error of a token's arrival: the larger of a fixed time and
	// a share of the baseline's median time per output token.
	tokenErrorFloorMS = 1.0
	tokenErrorShare   = .05
	// leastRate is how much of the load must be sent in time.
	leastRate = .99
	// allStamped is the share of kernel times from which times of arrival do not depend on when the client looks.
	allStamped = .99
	// readLagMS bounds how late the client may look where its own look is the time of arrival. Where the kernel gives the
	// time, stampedLagMS bounds it for a client that is short of CPU and longestLagMS for any other: a client so far behind
	// reacts late, and reads many tokens at once.
	readLagMS    = 5.0
	stampedLagMS = 50.0
	longestLagMS = 500.0
	// readCPU and stampedCPU bound the client's share of the CPU time that it may use.
	readCPU    = .85
	stampedCPU = .95
	// gcPauseMS bounds one stop of the client by its garbage collector where its own look is the time of arrival.
	gcPauseMS = 20.0
	// throttledOutright bounds the time in which the client was stopped by its CPU limit, throttledAfter the same where it
	// had consequences, and stolenAfter the CPU time that the hypervisor gave to others.
	throttledOutright = .1
	throttledAfter    = .01
	stolenAfter       = .05
)

// Medians are what the baseline was measured to need, in ms: an error of the client matters in proportion. Either may be
// absent.
type Medians struct{ TTFT, TPOT swap.Value }

// bounds are the limits that depend on the request and on what is measured.
type bounds struct{ tokenErrorMS, latenessMS float64 }

func boundsOf(limits swap.Calibration, baseline Medians) bounds {
	b := bounds{
		tokenErrorMS: max(tokenErrorFloorMS, tokenErrorShare*baseline.TPOT.Or(0)),
		latenessMS:   lateness.LimitMS(limits.SendLateness, baseline.TTFT),
	}
	if limits.TokenError > 0 {
		b.tokenErrorMS = float64(limits.TokenError.Std()) / float64(time.Millisecond)
	}
	return b
}
