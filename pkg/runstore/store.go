// Package runstore keeps what runs leave behind in an S3-compatible bucket: raw requests and telemetry as Parquet,
// manifests, snapshots, reports. Its layout is in keys.go.
//
// What is stored is evidence, so every object carries a SHA-256 checksum that the service verifies on the way in and this
// package on the way out, and what must exist once is written with If-None-Match.
package runstore

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// tries of one call; longer patience is the caller's (a step log's uploader, Temporal's retries).
	tries                 = 3
	headerTimeout         = 15 * time.Second
	callTimeout           = 30 * time.Second
	slowestBytesPerSecond = 1 << 20 // a slower transfer counts as hung
)

// Store is one bucket and prefix. It is safe for concurrent use. Keys given to its methods are relative to the prefix.
type Store struct {
	client    *minio.Core
	transport http.RoundTripper
	bucket    string
	prefix    string // empty, or ending in a slash
}

// Option changes how a Store is opened.
type Option func(*Store)

// WithTransport sends requests through rt.
func WithTransport(rt http.RoundTripper) Option { return func(s *Store) { s.transport = rt } }

// Open prepares a Store; it does no I/O, so a wrong address or bucket shows at the first call (see Check). The endpoint is
// host:port or a URL: https is TLS, http is not, and without a scheme a port other than 443 is not. An empty endpoint is
// AWS. Credentials come from cfg's references, else from the usual AWS chain (environment, shared file, instance role).
func Open(cfg swap.Store, opts ...Option) (*Store, error) {
	if cfg.Bucket == "" {
		return nil, fmt.Errorf("store: no bucket given; set store.bucket")
	}
	ep, err := parseEndpoint(cfg.Endpoint)
	if err != nil {
		return nil, err
	}
	creds, err := credentialsOf(cfg)
	if err != nil {
		return nil, err
	}
	s := &Store{transport: newTransport(), bucket: cfg.Bucket, prefix: strings.Trim(cfg.Prefix, "/")}
	if s.prefix != "" {
		s.prefix += "/"
	}
	for _, opt := range opts {
		opt(s)
	}
	s.client, err = minio.NewCore(ep.host, &minio.Options{
		Creds: creds, Secure: ep.tls, Region: ep.region(cfg.Region), Transport: s.transport, MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("store endpoint %q: %w", cfg.Endpoint, err)
	}
	return s, nil
}

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = headerTimeout
	t.MaxIdleConnsPerHost = 16
	t.DisableCompression = true // objects come back byte for byte
	return t
}

// Close drops idle connections.
func (s *Store) Close() {
	if c, ok := s.transport.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// URI is the s3://bucket/key of a relative key.
func (s *Store) URI(key string) string { return "s3://" + s.bucket + "/" + s.prefix + key }

// KeyOf is the relative key of an object of this store; a URI of another bucket or prefix is an error.
func (s *Store) KeyOf(ref swap.ObjectRef) (string, error) {
	key, ok := strings.CutPrefix(ref.URI, s.URI(""))
	if !ok || key == "" {
		return "", fmt.Errorf("object %q lies outside the run store %s; open the store that it belongs to", ref.URI, s.URI(""))
	}
	return key, nil
}

// withTimeout bounds one call that transfers so many bytes.
func withTimeout(ctx context.Context, bytes int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callTimeout+time.Duration(bytes/slowestBytesPerSecond)*time.Second)
}
