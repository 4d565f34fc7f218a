package runstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// backoff is how long to wait between tries: doubling from first up to most, with the upper half of each wait random so
// that many workers do not return at the same instant.
type backoff struct{ first, most time.Duration }

// delay is the wait after so many failures (from 1); random is in [0, 1).
func (b backoff) delay(failures int, random float64) time.Duration {
	d := b.most
	if shift := failures - 1; shift < 30 && b.first<<shift < b.most {
		d = b.first << shift
	}
	return d/2 + time.Duration(random*float64(d/2))
}

// retry repeats do for as long as the store is unavailable and ctx lasts, and reports each such failure.
func (b backoff) retry(ctx context.Context, do func() error, failed func(error)) error {
	for failures := 1; ; failures++ {
		err := do()
		if !errors.Is(err, ErrUnavailable) {
			return err
		}
		failed(err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(b.delay(failures, rand.Float64())):
		}
	}
}
