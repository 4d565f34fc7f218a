package drill

import (
	"context"
	"time"
)

// sampleEvery is the time between two looks at the gateway.
const sampleEvery = 10 * time.Millisecond

// sample is what the gateway said at a time.
type sample struct {
	at time.Time
	state
}

// watchWeights looks at the gateway until stop is closed. Looks that fail are left out.
func (c *course) watchWeights(ctx context.Context, stop <-chan struct{}) (seen []sample) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for {
		if s, err := c.weights(ctx); err == nil {
			seen = append(seen, sample{at: time.Now(), state: s})
		}
		select {
		case <-stop:
			return seen
		case <-ticker.C:
		}
	}
}
