package load

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// instant answers at once, so that only the dispatcher is measured.
type instant struct{}

func (instant) Stream(context.Context, engine.Ask) engine.Observation {
	return engine.Observation{Outcome: swap.OK, Sent: time.Now(), ConnReused: true}
}

// BenchmarkDispatch drives one second of open loop at 1000 req/s and reports how late requests were handed over.
func BenchmarkDispatch(b *testing.B) {
	p := PlanBlock(generator(b), swap.Step{Rate: 1000}, 0, time.Second, 1, 7)
	var p99 float64
	for b.Loop() {
		res, err := Run(b.Context(), instant{}, p, Options{Block: swap.BlockPlan{Arm: swap.Baseline}})
		require.NoError(b, err)
		p99 = max(p99, rawlog.LatenessP99(res.Records).Or(0))
	}
	b.ReportMetric(p99*1e3, "late-p99-µs")
}
