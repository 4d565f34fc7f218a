package runstore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDelayStaysInItsBounds(t *testing.T) {
	b := defaultUploadPolicy.backoff
	rapid.Check(t, func(t *rapid.T) {
		failures, random := rapid.IntRange(1, 1_000_000).Draw(t, "failures"), rapid.Float64Range(0, 0.999).Draw(t, "random")
		d := b.delay(failures, random)
		require.GreaterOrEqual(t, d, b.first/2)
		require.LessOrEqual(t, d, b.most)
	})
	require.Equal(t, b.first/2, b.delay(1, 0))
	require.Equal(t, b.first, b.delay(2, 0), "doubles")
	require.Equal(t, b.most/2, b.delay(50, 0))
}

func TestRetryOutlastsAnOutageOfMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, tries := time.Now(), 0
		err := defaultUploadPolicy.backoff.retry(t.Context(), func() error {
			tries++
			if time.Since(start) < 5*time.Minute {
				return &Error{Kind: ErrUnavailable}
			}
			return nil
		}, func(err error) { require.ErrorIs(t, err, ErrUnavailable) })
		require.NoError(t, err)
		require.Greater(t, tries, 50)
		require.Less(t, tries, 150, "a service that comes back is not trampled")
	})
}

func TestRetryGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		final := errors.New("final")
		calls := 0
		err := defaultUploadPolicy.backoff.retry(t.Context(), func() error { calls++; return final }, func(error) {})
		require.ErrorIs(t, err, final)
		require.Equal(t, 1, calls)

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err = defaultUploadPolicy.backoff.retry(ctx, func() error { return &Error{Kind: ErrUnavailable} }, func(error) {})
		require.ErrorIs(t, err, ErrUnavailable)
	})
}
