// Package localtest gives tests a real S3 service and a real Temporal dev server, each started once per test binary when a
// test first asks for it:
//
//	func TestMain(m *testing.M) { localtest.Main(m) }
//
//	func TestIt(t *testing.T) { store := localtest.S3(t) … }
package localtest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	envChild  = "SWAPGATE_TEST_CHILD"
	childS3   = "s3"
	stopLimit = 20 * time.Second
)

// shared are the services of this test binary.
var shared struct {
	sync.Mutex
	stack    *local.Stack
	s3       *local.S3
	temporal *local.Temporal
	buckets  int
}

// Main runs the tests of a package, stops the shared services, and fails if goroutines are left. In a child process that S3
// started it serves instead of testing.
func Main(m *testing.M, opts ...goleak.Option) { os.Exit(run(m, opts)) }

func run(m *testing.M, opts []goleak.Option) int {
	if os.Getenv(envChild) == childS3 {
		return serveS3()
	}
	code := m.Run()
	if err := stopShared(); err != nil {
		fmt.Fprintln(os.Stderr, "localtest:", err)
		code = max(code, 1)
	}
	if code != 0 {
		return code
	}
	if err := goleak.Find(opts...); err != nil {
		fmt.Fprintln(os.Stderr, "goleak:", err)
		return 1
	}
	return 0
}

func serveS3() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := local.RunS3(ctx, local.S3OptionsFromEnv()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func stopShared() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.stack == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	err := shared.stack.Stop(ctx)
	if rmErr := os.RemoveAll(shared.stack.Dir()); err == nil {
		err = rmErr
	}
	return err
}

// S3 returns the configuration of a store in a new, empty bucket of the shared service.
func S3(tb testing.TB) swap.Store {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	ctx := context.WithoutCancel(tb.Context())
	if shared.s3 == nil {
		stack := sharedStack(tb)
		s3, err := local.StartS3(ctx, S3Command(stack.Dir()))
		require.NoError(tb, err)
		stack.Add("S3 service", func(ctx context.Context) error { return s3.Stop(ctx) })
		shared.s3 = s3
	}
	store := shared.s3.Store()
	shared.buckets++
	store.Bucket = fmt.Sprintf("test-%04d", shared.buckets)
	require.NoError(tb, shared.s3.CreateBucket(ctx, store.Bucket))
	return store
}

// S3Command runs this test binary as an S3 service of its own, for tests that kill and restart one.
func S3Command(dir string) local.S3Command {
	return local.S3Command{
		Args: []string{"-test.run=^$"}, Env: []string{envChild + "=" + childS3}, Dir: dir, Bucket: "swapgate",
	}
}

// Temporal returns the shared dev server, with swapgate's search attributes. Tests keep apart by their workflow ids.
func Temporal(tb testing.TB) *local.Temporal {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.temporal == nil {
		ctx := context.WithoutCancel(tb.Context())
		stack := sharedStack(tb)
		path, err := local.FindTemporal(ctx, os.Stderr)
		require.NoError(tb, err)
		server, err := local.StartTemporal(ctx, local.TemporalCommand{Path: path, Dir: stack.Dir()})
		require.NoError(tb, err)
		stack.Add("Temporal dev server", func(ctx context.Context) error { return server.Stop(ctx) })
		shared.temporal = server
	}
	return shared.temporal
}

// sharedStack wants shared to be locked.
func sharedStack(tb testing.TB) *local.Stack {
	tb.Helper()
	if shared.stack == nil {
		dir, err := os.MkdirTemp("", "swapgate-test-") //nolint:usetesting // it outlives the test
		require.NoError(tb, err)
		shared.stack, err = local.NewStack(dir)
		require.NoError(tb, err)
	}
	return shared.stack
}
