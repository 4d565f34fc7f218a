package activities

import (
	"context"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// SetWeights makes the gateway split traffic as asked, does nothing where it already does, and returns what the gateway
// then says.
func (a *Activities) SetWeights(ctx context.Context, in swap.SetWeightsInput) (swap.Restored, error) {
	started := a.Now()
	route, err := a.OpenRoute(in.Route)
	if err != nil {
		return swap.Restored{}, err
	}
	before, err := route.Read(ctx)
	if err != nil {
		return swap.Restored{}, err
	}
	after, err := route.Apply(ctx, in.Weights)
	if err != nil {
		return swap.Restored{}, err
	}
	return swap.Restored{
		Weights: &after.Weights, Changed: before.Weights != after.Weights, At: a.Now(), TookMS: ms(a.Now().Sub(started)),
	}, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
