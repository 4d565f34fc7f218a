package activities

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/swapgate/swapgate/pkg/swap"
)

// resultLimit is the largest result of an activity, far below what Temporal refuses.
const resultLimit = 64 << 10

// patience is how long a test waits for a condition before it fails.
const patience = 10 * time.Second

// call is one attempt at an activity in Temporal's test environment.
type call[Out any] struct {
	// cancel is the cancel of a workflow as it reaches an activity; stopWorker is the worker's shutdown.
	cancel, stopWorker func()

	ended   chan struct{}
	value   converter.EncodedValue
	err     error
	secrets []string
	beats   *beats
}

// beats are the heartbeats of a call.
type beats struct {
	mu  sync.Mutex
	all []json.RawMessage
}

func (b *beats) record(_ *activity.Info, details converter.EncodedValues) {
	var raw json.RawMessage
	err := details.Get(&raw)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.all = append(b.all, raw)
	}
}

func (b *beats) list() []json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.all)
}

// start begins an attempt in the background. It is registered as workers register it.
func start[Out any](t *testing.T, s *site, name string, in any) *call[Out] {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(t.Context()))
	if s.allowed > 0 {
		timed, release := context.WithTimeout(ctx, s.allowed)
		t.Cleanup(release)
		ctx = timed
	}
	stop := make(chan struct{})
	c := &call[Out]{
		cancel: func() { cancel(temporal.NewCanceledError()) }, stopWorker: sync.OnceFunc(func() { close(stop) }),
		ended: make(chan struct{}), secrets: s.secrets(t), beats: &beats{},
	}
	var suite testsuite.WorkflowTestSuite
	handler := slog.DiscardHandler
	if s.logger != nil {
		handler = slog.NewTextHandler(s.logger, nil)
	}
	suite.SetLogger(log.NewStructuredLogger(slog.New(handler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.SetWorkerStopChannel(stop)
	env.SetOnActivityHeartbeatListener(c.beats.record)
	a := New(s.deps)
	a.RegisterControl(env)
	a.RegisterLoad(env)
	go func() {
		defer close(c.ended)
		c.value, c.err = env.ExecuteActivity(name, in)
	}()
	t.Cleanup(func() {
		c.cancel()
		<-c.ended
		cancel(nil)
	})
	return c
}

// wait returns what the attempt came to. Whatever it is, it must be small and hold no secret.
func (c *call[Out]) wait(t *testing.T) (out Out, err error) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(2 * patience):
		require.Fail(t, "the activity does not end")
	}
	said := c.beats.list()
	if c.err != nil {
		said = append(said, json.RawMessage(c.err.Error()))
	} else if c.value.HasValue() {
		var raw json.RawMessage
		require.NoError(t, c.value.Get(&raw))
		require.Less(t, len(raw), resultLimit)
		require.NoError(t, c.value.Get(&out))
		said = append(said, raw)
	}
	for _, text := range said {
		for _, secret := range c.secrets {
			require.NotContains(t, string(text), secret)
		}
	}
	return out, c.err
}

// progress is the heartbeats of an attempt.
func (c *call[Out]) progress(t *testing.T) []swap.Progress {
	t.Helper()
	var all []swap.Progress
	for _, raw := range c.beats.list() {
		var p swap.Progress
		require.NoError(t, json.Unmarshal(raw, &p))
		all = append(all, p)
	}
	return all
}

// run makes one attempt and waits for it.
func run[Out any](t *testing.T, s *site, name string, in any) (Out, error) {
	t.Helper()
	return start[Out](t, s, name, in).wait(t)
}

// mustRun is run where nothing may go wrong.
func mustRun[Out any](t *testing.T, s *site, name string, in any) Out {
	t.Helper()
	out, err := run[Out](t, s, name, in)
	require.NoError(t, err)
	return out
}

// requireType checks an error as Temporal sees it.
func requireType(t *testing.T, err error, name string, retry bool) {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, name, app.Type(), "%v", err)
	require.Equal(t, !retry, app.NonRetryable(), "%v", err)
}

// requireCancelled checks that an attempt ended as a cancelled one.
func requireCancelled(t *testing.T, err error) {
	t.Helper()
	var cancelled *temporal.CanceledError
	require.ErrorAs(t, err, &cancelled)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, 2*time.Millisecond, what)
}
