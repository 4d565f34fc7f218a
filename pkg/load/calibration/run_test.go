package calibration

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The real client against a real child. The bounds are generous: the machine is shared.
func TestTheClientIsCalibrated(t *testing.T) {
	for name, step := range map[string]swap.Step{"open": {Rate: 40}, "closed": {Concurrency: 6}} {
		t.Run(name, func(t *testing.T) {
			cfg := before(asks(t, func(w *swap.Workload) {
				answers(20)(w)
				grouped(swap.ShapeStar, 2, 0)(w)
			}), step)
			cfg.Duration = 1500 * time.Millisecond
			r, err := Run(t.Context(), cfg)
			require.NoError(t, err)
			require.Greater(t, r.Requests, 20)
			require.Greater(t, r.Tokens, 10*r.Requests)
			for _, v := range []swap.Value{
				r.TTFTErrorMeanMS, r.TTFTErrorP99MS, r.TokenErrorP99MS, r.SendLatenessP99MS, r.RateAchieved, r.KernelStamped,
			} {
				require.True(t, v.Valid())
				require.Less(t, v.Or(0), 500.0)
			}
			t.Logf("%+v", r)
		})
	}
}

func TestACalibrationCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	cfg := before(asks(t, nil), constant(10))
	cfg.Duration = time.Minute
	_, err := Run(ctx, cfg)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
