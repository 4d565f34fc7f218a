package admin

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// begin is a fake that serves the first model, its admin side, and its state before anything happens.
func (c engineCase) begin(t *testing.T, m mode, change func(*Options)) (*fake, *Engine, swap.EngineState) {
	t.Helper()
	f := newFake(t, honest, c.from)
	e := f.open(c.method, f.serve(c.routes), change)
	before, err := e.State(t.Context(), c.from)
	require.NoError(t, err)
	require.Len(t, before.Golden, 2)
	f.set(m)
	return f, e, before
}

func TestSwapThereAndBack(t *testing.T) {
	for _, c := range engineCases() {
		for _, m := range []mode{honest, slow, cut} {
			t.Run(c.name()+" "+string(m), func(t *testing.T) {
				t.Parallel()
				var told []string
				f, e, before := c.begin(t, m, func(o *Options) {
					o.Served = func(_ context.Context, m swap.InPlaceModel) { told = append(told, m.Name) }
				})
				there, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
				if m == cut && c.method == swap.InPlaceVLLMReload {
					require.ErrorIs(t, err, ErrUnreachable, "between its calls")
					f.set(honest)
					there, err = e.Swap(t.Context(), Goal{Model: c.to, Before: before})
				}
				require.NoError(t, err)
				require.True(t, there.Changed)
				require.Equal(t, c.to, there.State.Model)
				require.Equal(t, []string{c.to.Name}, told)
				require.False(t, there.Asked.After(there.Served))
				require.False(t, there.Served.After(there.Done))
				require.Equal(t, map[string]string{c.to.Name: source(c.to)}, f.serving(), "the one before is gone")

				loads := f.called(c.loads)
				again, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
				require.NoError(t, err)
				require.False(t, again.Changed, "what is done is not done again")
				require.Equal(t, loads, f.called(c.loads), "one load")

				back, err := e.Back(t.Context(), before, c.to)
				require.NoError(t, err)
				require.True(t, back.Changed)
				require.Equal(t, before.Golden, back.State.Golden)
				require.Equal(t, map[string]string{c.from.Name: source(c.from)}, f.serving())
			})
		}
	}
}

func TestSwapsThatAreNone(t *testing.T) {
	for _, c := range engineCases() {
		for m, want := range map[mode]error{
			lie: ErrNotProven, late: ErrNotProven, broken: ErrUnreachable, refusing: ErrRefused, hanging: ErrUnreachable,
		} {
			t.Run(c.name()+" "+string(m), func(t *testing.T) {
				t.Parallel()
				switch {
				case m == refusing && c.method == swap.InPlaceOllama:
					want = ErrUnreachable // Ollama refuses with 500
				case m == refusing && c.method == swap.InPlaceLlamaSwap:
					want = ErrNotProven // what a process answers at its own address is not llama-swap's word
				}
				f, e, before := c.begin(t, m, nil)
				e.opt.Timeout, e.opt.patience = 200*time.Millisecond, 60*time.Millisecond
				_, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
				require.ErrorIs(t, err, want)
				require.NotContains(t, err.Error(), "hush")

				f.set(honest)
				e.opt.Timeout, e.opt.patience = time.Minute, time.Minute
				_, err = e.Back(t.Context(), before, c.to)
				require.NoError(t, err)
				require.Equal(t, map[string]string{c.from.Name: source(c.from)}, f.serving())
			})
		}
	}
}

func TestEnginesWithoutTheInterface(t *testing.T) {
	t.Parallel()
	for _, c := range engineCases() {
		f := newFake(t, unsupported, c.from)
		e := f.open(c.method, f.serve(c.routes), nil)
		_, err := e.State(t.Context(), c.from)
		require.ErrorIs(t, err, ErrUnsupported, c.name())
		_, err = e.Swap(t.Context(), Goal{Model: c.to})
		require.ErrorIs(t, err, ErrUnsupported, c.name())

		f.set(honest)
		e = f.open(c.method, f.serve(c.routes), func(o *Options) { o.Token = "other" })
		_, err = e.State(t.Context(), c.from)
		require.ErrorIs(t, err, ErrRefused, c.name())
		require.ErrorContains(t, err, "[token]")
		require.NotContains(t, err.Error(), "other")

		e = f.open(c.method, "http://127.0.0.1:1", nil)
		_, err = e.State(t.Context(), c.from)
		require.ErrorIs(t, err, ErrUnreachable, c.name())
	}
}

func TestCancelIsNoProof(t *testing.T) {
	t.Parallel()
	c := engineCases()[2]
	_, e, before := c.begin(t, late, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the worker stops")
	time.AfterFunc(20*time.Millisecond, func() { cancel(stop) })
	_, err := e.Swap(ctx, Goal{Model: c.to, Before: before})
	require.ErrorIs(t, err, stop)
}

func TestUnsafeMethodsAreAskedFor(t *testing.T) {
	t.Parallel()
	_, err := Open(Options{Method: swap.InPlaceVLLMReload, URL: "http://x"})
	require.ErrorIs(t, err, ErrUnsafe)
	require.ErrorContains(t, err, "in_place.allow_unsafe")
	_, err = Open(Options{Method: "other", URL: "http://x"})
	require.ErrorIs(t, err, ErrUnsupported)
	for _, method := range swap.InPlaceMethods {
		e, err := Open(Options{Method: method, URL: "http://x", AllowUnsafe: true})
		require.NoError(t, err)
		require.Equal(t, method == swap.InPlaceVLLMReload, e.Capabilities().Unsafe)
	}
}

func TestVLLMRefusesANameTwice(t *testing.T) {
	t.Parallel()
	c := engineCases()[0]
	f, e, before := c.begin(t, honest, nil)
	reused := c.from
	reused.Path = "/l/9"
	_, err := e.Swap(t.Context(), Goal{Model: reused, Before: before})
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "name of its own")
	require.Zero(t, f.called("load_lora"))
}

func TestVLLMBaseModelStays(t *testing.T) {
	t.Parallel()
	base := model("base", "", "")
	c := engineCases()[0]
	c.from = base
	f, e, before := c.begin(t, honest, nil)
	_, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
	require.NoError(t, err)
	require.Contains(t, f.serving(), "base")
	_, err = e.Back(t.Context(), before, c.to)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"base": "base"}, f.serving())
}

func TestVLLMStaysAsleepWithoutWeights(t *testing.T) {
	t.Parallel()
	c := engineCases()[1]
	f, e, before := c.begin(t, broken, nil)
	e.opt.patience = 20 * time.Millisecond
	_, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
	require.ErrorContains(t, err, "left asleep")
	require.True(t, f.sleeps())
	require.Zero(t, f.called("tags=kv_cache"))
}

func TestSGLangWithoutChecksumsNeedsAnswers(t *testing.T) {
	t.Parallel()
	c := engineCases()[2]
	f, e, before := c.begin(t, honest, func(o *Options) { o.MayBeEqual = true })
	require.NotEmpty(t, before.Digest)
	f.noChecksum = true
	e.opt.Ask, e.opt.patience = nil, 20*time.Millisecond
	_, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
	require.ErrorIs(t, err, ErrNotProven)
	require.ErrorContains(t, err, "give in_place.golden prompts")
}

func TestOllamaPullsWhatItHasNot(t *testing.T) {
	t.Parallel()
	c := engineCases()[6]
	f, e, before := c.begin(t, honest, nil)
	_, err := e.Swap(t.Context(), Goal{Model: c.to, Before: before})
	require.NoError(t, err)
	require.Equal(t, 1, f.called("/api/pull"))
	_, err = e.Swap(t.Context(), Goal{Model: model("none", "", ""), Before: before})
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "file does not exist")
}

func TestLlamaServerWithoutARouter(t *testing.T) {
	t.Parallel()
	f := newFake(t, honest, model("a", "", ""))
	e := f.open(swap.InPlaceLlamaCPP, f.serve(routes{"GET /models": cards}), nil)
	_, err := e.State(t.Context(), model("a", "", ""))
	require.ErrorIs(t, err, ErrUnsupported)
	require.ErrorContains(t, err, "router mode")
}
