package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Faults are the things that can be wrong with a server; the zero value is a healthy one. Shares and rates are fractions
// 0..1 of requests. Which requests are hit follows from the seed and the order of arrival alone.
type Faults struct {
	// PrefillSlowdown and DecodeSlowdown multiply service times; 0 stands for 1.
	PrefillSlowdown float64 `json:"prefill_slowdown,omitempty"`
	DecodeSlowdown  float64 `json:"decode_slowdown,omitempty"`
	// Tail makes the whole service of some requests slower.
	Tail Tail `json:"tail,omitzero"`
	// ErrorRate answers HTTP 500, RejectRate HTTP 429 with Retry-After.
	ErrorRate  float64 `json:"error_rate,omitempty"`
	RejectRate float64 `json:"reject_rate,omitempty"`
	// EarlyStop ends some answers too soon with finish_reason stop, ignore_eos or not.
	EarlyStop EarlyStop `json:"early_stop,omitzero"`
	// ResetRate cuts the connection with a TCP reset in the middle of the answer.
	ResetRate float64 `json:"reset_rate,omitempty"`
	// Stall holds some answers up once, in their middle.
	Stall Stall `json:"stall,omitzero"`
	// MemoryLeak is lost from the KV cache with every finished request, in tokens, until the server dies.
	MemoryLeak int `json:"memory_leak_tokens_per_request,omitempty"`
	// Swap is what goes wrong with swaps in place.
	Swap SwapFaults `json:"swap,omitzero"`
	// Crash cuts every connection, old and new, without an answer. The control endpoints under /sim stay.
	Crash bool `json:"crash,omitempty"`
}

// Tail makes a share of requests Factor times slower in prefill and decode.
type Tail struct {
	Share  float64 `json:"share"`
	Factor float64 `json:"factor"`
}

// EarlyStop ends a share of answers at the fraction Length of what was asked.
type EarlyStop struct {
	Share  float64 `json:"share"`
	Length float64 `json:"length"`
}

// Stall holds a share of answers up for Duration.
type Stall struct {
	Share    float64       `json:"share"`
	Duration swap.Duration `json:"duration"`
}

// Validate names every fault that makes no sense.
func (f Faults) Validate() error {
	var errs []error
	share := func(name string, v float64) {
		if !(v >= 0 && v <= 1) {
			errs = append(errs, fmt.Errorf("faults: %s is a fraction between 0 and 1, not %v", name, v))
		}
	}
	require := func(ok bool, message string) {
		if !ok {
			errs = append(errs, errors.New("faults: "+message))
		}
	}
	share("tail.share", f.Tail.Share)
	share("error_rate", f.ErrorRate)
	share("reject_rate", f.RejectRate)
	share("early_stop.share", f.EarlyStop.Share)
	share("early_stop.length", f.EarlyStop.Length)
	share("reset_rate", f.ResetRate)
	share("stall.share", f.Stall.Share)
	require(f.PrefillSlowdown >= 0 && f.DecodeSlowdown >= 0, "slowdowns must not be negative")
	require(f.Tail.Share == 0 || f.Tail.Factor >= 1, "tail.factor must be at least 1")
	require(f.Stall.Duration >= 0, "stall.duration must not be negative")
	require(f.Swap.Stall >= 0 && f.Swap.ErrorBurst >= 0 && f.Swap.Late >= 0, "swap must not be negative")
	require(f.MemoryLeak >= 0, "memory_leak_tokens_per_request must not be negative")
	return errors.Join(errs...)
}

// fate is what the faults do to one request.
type fate struct {
	rejected, failed, reset bool
	// slow multiplies service times; 1 is normal.
	slow float64
	// lengthShare is the fraction of its length at which the answer ends; 1 is normal.
	lengthShare float64
	stall       time.Duration
}

// fate decides what happens to request number seq. The draws of different faults are independent.
func (f Faults) fate(seed, seq uint64) fate {
	hit := func(kind uint64, share float64) bool {
		return unit(mix(seed, seq, kind)) < share
	}
	out := fate{slow: 1, lengthShare: 1}
	out.rejected = hit(1, f.RejectRate)
	out.failed = hit(2, f.ErrorRate)
	out.reset = hit(3, f.ResetRate)
	if hit(4, f.Tail.Share) {
		out.slow = f.Tail.Factor
	}
	if hit(5, f.EarlyStop.Share) {
		out.lengthShare = f.EarlyStop.Length
	}
	if hit(6, f.Stall.Share) {
		out.stall = f.Stall.Duration.Std()
	}
	return out
}

// factor reads a slowdown, of which 0 stands for 1.
func factor(slowdown float64) float64 {
	if slowdown == 0 {
		return 1
	}
	return slowdown
}
