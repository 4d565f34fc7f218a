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
			cfg := valid()
			cfg.Step, cfg.Duration, cfg.OutputTokens = step, 1500*time.Millisecond, 20
			r, err := Run(t.Context(), cfg)
			require.NoError(t, err)
			require.Positive(t, r.Requests)
			require.Equal(t, 20*r.Requests, r.Tokens)
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
	cfg := valid()
	cfg.Duration = time.Minute
	_, err := Run(ctx, cfg)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
