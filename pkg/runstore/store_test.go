package runstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/swap"
)

// open opens a store for the length of a test.
func open(t *testing.T, cfg swap.Store) *Store {
	t.Helper()
	s, err := Open(cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func newStore(t *testing.T) *Store {
	t.Helper()
	cfg := localtest.S3(t)
	cfg.Prefix = "/team/a/"
	return open(t, cfg)
}

func TestCheckLeavesNothingBehind(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.Check(t.Context()))
	keys, err := s.List(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, keys)
}

func TestCheckRefusesAStoreThatIgnoresConditions(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodPut, r.Method)
		w.Header().Set("ETag", `"0"`)
	}))
	t.Cleanup(server.Close)
	cfg := localtest.S3(t)
	cfg.Endpoint = server.URL
	require.ErrorContains(t, open(t, cfg).Check(t.Context()), "If-None-Match")
}

func TestPutAndGet(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for name, data := range map[string][]byte{
		"empty": {}, "small": []byte("hello"), "large": bytes.Repeat([]byte("0123456789abcdef"), 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			ref, err := s.PutBytes(ctx, "objects/"+name, "text/plain", data, "text/v1")
			require.NoError(t, err)
			require.Equal(t, "s3://"+s.bucket+"/team/a/objects/"+name, ref.URI)
			require.Equal(t, int64(len(data)), ref.Bytes)

			got, err := s.GetBytes(ctx, ref)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got))

			got, same, err := s.GetKey(ctx, "objects/"+name)
			require.NoError(t, err)
			require.Equal(t, ref, same)
			require.True(t, bytes.Equal(data, got))

			_, err = s.stat(ctx, "objects/"+name)
			require.NoError(t, err)
		})
	}
}

func TestAReferenceIsHeldAgainstTheContent(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	ref, err := s.PutBytes(ctx, "a", "text/plain", []byte("before"), "text/v1")
	require.NoError(t, err)
	_, err = s.PutBytes(ctx, "a", "text/plain", []byte("after!"), "text/v1")
	require.NoError(t, err)

	_, err = s.GetBytes(ctx, ref)
	require.ErrorIs(t, err, ErrCorrupt)

	ref.URI = "s3://another-bucket/team/a/a"
	_, err = s.GetBytes(ctx, ref)
	require.ErrorContains(t, err, "another-bucket")
}

func TestTheServiceVerifiesTheChecksum(t *testing.T) {
	s := newStore(t)
	o := object{key: "damaged", contentType: "text/plain", data: []byte("what was meant")}
	err := s.upload(t.Context(), o, s.ref(o), strings.NewReader("what was sent!"), minio.PutObjectOptions{})
	require.ErrorIs(t, err, ErrCorrupt)
	_, err = s.stat(t.Context(), "damaged")
	require.ErrorIs(t, err, ErrNotFound)
}

func TestPutOnceHasOneWinner(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	const rivals = 8
	refs, created := make([]swap.ObjectRef, rivals), make([]bool, rivals)
	var wg sync.WaitGroup
	for i := range rivals {
		wg.Go(func() {
			var err error
			refs[i], created[i], err = s.PutOnce(ctx, "claim", "text/plain", fmt.Appendf(nil, "rival %d", i), "claim/v1")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	winners := 0
	for i := range rivals {
		require.Equal(t, refs[0], refs[i], "all see the object of the winner")
		if created[i] {
			winners++
		}
	}
	require.Equal(t, 1, winners)
	_, err := s.GetBytes(ctx, refs[0])
	require.NoError(t, err)
}

func TestPutOnceMakesOneTry(t *testing.T) {
	proxy, cfg := localtest.NewProxy(t, localtest.S3(t))
	s, ctx := open(t, cfg), t.Context()
	proxy.LoseAnswers(true)
	_, created, err := s.PutOnce(ctx, "claim", "text/plain", []byte("mine"), "claim/v1")
	require.ErrorIs(t, err, ErrUnavailable)
	require.False(t, created)
	require.Equal(t, int64(1), proxy.Refused.Load())

	proxy.LoseAnswers(false)
	ref, created, err := s.PutOnce(ctx, "claim", "text/plain", []byte("mine"), "claim/v1")
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, s.ref(object{key: "claim", schema: "claim/v1", data: []byte("mine")}), ref)
}

func TestListIsSortedAndRelative(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for _, key := range []string{"b/2", "b/10", "a", "b-other", "b/sub/1"} {
		_, err := s.PutBytes(ctx, key, "text/plain", []byte(key), "text/v1")
		require.NoError(t, err)
	}
	keys, err := s.List(ctx, "b/")
	require.NoError(t, err)
	require.Equal(t, []string{"b/10", "b/2", "b/sub/1"}, keys)

	require.NoError(t, s.Delete(ctx, "b/10"))
	require.NoError(t, s.Delete(ctx, "b/10"), "deleting again is no error")
	keys, err = s.List(ctx, "b/")
	require.NoError(t, err)
	require.Equal(t, []string{"b/2", "b/sub/1"}, keys)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.List(cancelled, "b/")
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ErrUnavailable)
}

func TestUnusableKeys(t *testing.T) {
	s := newStore(t)
	for _, key := range []string{"", "/a", "a/", "a//b", "a/../b", ".", strings.Repeat("x", 256)} {
		_, err := s.PutBytes(t.Context(), key, "text/plain", nil, "text/v1")
		require.Error(t, err, key)
	}
}

func TestKindsOfFailure(t *testing.T) {
	ctx, cfg := t.Context(), localtest.S3(t)
	secretText := "not-the-secret-key-of-this-service"
	wrong := filepath.Join(t.TempDir(), "wrong")
	require.NoError(t, os.WriteFile(wrong, []byte(secretText), 0o600))
	for name, tc := range map[string]struct {
		change func(*swap.Store)
		kind   error
	}{
		"no such object":   {func(*swap.Store) {}, ErrNotFound},
		"no such bucket":   {func(c *swap.Store) { c.Bucket = "nobody-made-this" }, ErrNoBucket},
		"wrong secret key": {func(c *swap.Store) { c.SecretKey = &swap.SecretRef{File: wrong} }, ErrDenied},
		"wrong access key": {func(c *swap.Store) { c.AccessKey = &swap.SecretRef{File: wrong} }, ErrDenied},
		"nobody listens":   {func(c *swap.Store) { c.Endpoint = "127.0.0.1:1" }, ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := cfg
			tc.change(&cfg)
			s := open(t, cfg)
			_, _, err := s.GetKey(ctx, "a")
			require.ErrorIs(t, err, tc.kind)
			for _, other := range []error{ErrNotFound, ErrNoBucket, ErrDenied, ErrUnavailable, ErrCorrupt} {
				if !errors.Is(tc.kind, other) {
					require.NotErrorIs(t, err, other)
				}
			}
			require.ErrorContains(t, err, "s3://"+cfg.Bucket+"/a")
			require.NotContains(t, err.Error(), secretText)
			if !errors.Is(tc.kind, ErrNotFound) {
				require.ErrorIs(t, s.Check(ctx), tc.kind)
			}
		})
	}
}

func TestStatusCodesWithoutABody(t *testing.T) {
	for status, kind := range map[int]error{
		http.StatusForbidden: ErrDenied, http.StatusUnauthorized: ErrDenied, http.StatusNotFound: ErrNotFound,
		http.StatusTooManyRequests: ErrUnavailable, http.StatusInternalServerError: ErrUnavailable,
		http.StatusServiceUnavailable: ErrUnavailable, http.StatusGatewayTimeout: ErrUnavailable,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
			t.Cleanup(server.Close)
			cfg := localtest.S3(t)
			cfg.Endpoint = server.URL
			_, err := open(t, cfg).stat(t.Context(), "a")
			require.ErrorIs(t, err, kind)
		})
	}
}

func TestASilentServiceIsUnavailable(t *testing.T) {
	hung := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hung }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hung) })
	cfg := localtest.S3(t)
	cfg.Endpoint = server.URL
	transport := newTransport()
	transport.ResponseHeaderTimeout = 20 * time.Millisecond
	s, err := Open(cfg, WithTransport(transport))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	_, err = s.PutBytes(t.Context(), "a", "text/plain", []byte("x"), "text/v1")
	require.ErrorIs(t, err, ErrUnavailable)
}
