package servertest

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// A load worker that runs a tenth of the time measures itself and not the models: even of a candidate that is plainly slow
// nothing is decided, neither a pass nor a fail.
func TestStarvedLoadWorkerDecidesNothing(t *testing.T) {
	b := newBench(t, "slow-decode")
	b.spec.Load.Calibration = swap.Calibration{Duration: swap.Duration(time.Second)}
	b.starve(b.load.PID())
	run := b.start()
	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Inconclusive, v.Verdict, "%v", v.Reasons)
	require.Equal(t, swap.ReasonInstrument, v.Reasons[0].Code, "%v", v.Reasons)
	require.Contains(t, v.Reasons[0].Message, "load.shards", "it says what to do")
	require.NotEmpty(t, v.Steps)
	for _, step := range v.Steps {
		require.NotEmpty(t, step.Instrument.Faults)
	}
	require.Equal(t, swap.AllBaseline, b.weights())
}

// starve lets a process run 10 ms of every 100 ms.
func (b *bench) starve(pid int) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	b.t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	go func() {
		defer close(stopped)
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			signal := syscall.SIGSTOP
			if n%10 == 0 {
				signal = syscall.SIGCONT
			}
			_ = syscall.Kill(pid, signal)
		}
	}()
}
