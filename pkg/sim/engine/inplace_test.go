package engine

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// swappable is a server with two sets of weights, of which the second is half as fast.
func swappable(f SwapFaults) func(*Config) {
	return func(c *Config) {
		c.Weights, c.Loaded = map[string]Weights{"/w/1": {Answers: 1}, "/w/2": {Answers: 2, Slow: 2}}, "/w/1"
		c.Faults.Swap = f
	}
}

func update(t *testing.T, e *Engine, path string) (status int, success bool) {
	t.Helper()
	rec := ask(t, e, "POST", "/update_weights_from_disk", `{"model_path":"`+path+`","flush_cache":true}`)
	var reply struct{ Success bool }
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &reply))
	return rec.Code, reply.Success
}

func answer(t *testing.T, e *Engine, model string) (status int, text string) {
	t.Helper()
	rec := ask(t, e, "POST", "/v1/completions", `{"model":"`+model+`","prompt":"who are you","max_tokens":12}`)
	var reply struct{ Choices []struct{ Text string } }
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &reply))
	if len(reply.Choices) == 0 {
		return rec.Code, ""
	}
	return rec.Code, reply.Choices[0].Text
}

func namedPath(t *testing.T, e *Engine) string {
	t.Helper()
	var info struct {
		ModelPath string `json:"model_path"`
	}
	require.NoError(t, json.Unmarshal(ask(t, e, "GET", "/model_info", "").Body.Bytes(), &info))
	return info.ModelPath
}

func TestWeightsAreSwappedInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, swappable(SwapFaults{}))
		_, before := answer(t, e, "m")
		status, success := update(t, e, "/w/2")
		require.Equal(t, http.StatusOK, status)
		require.True(t, success)
		begun := time.Now()
		_, after := answer(t, e, "m")
		require.NotEqual(t, before, after)
		require.Greater(t, time.Since(begun), 80*ms, "weights that are half as fast: 12 tokens of 8 ms")
		require.Equal(t, "/w/2", namedPath(t, e))
		_, _ = update(t, e, "/w/1")
		_, back := answer(t, e, "m")
		require.Equal(t, before, back)

		status, success = update(t, e, "/w/3")
		require.Equal(t, http.StatusBadRequest, status)
		require.False(t, success)
		require.Len(t, e.Swaps(), 2)
	})
}

func TestAStallHoldsEveryStreamUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, swappable(SwapFaults{Stall: swap.Duration(500 * ms)}))
		var early, late *timedRecorder
		var asks sync.WaitGroup
		asks.Go(func() { early = ask(t, e, "POST", "/v1/chat/completions", chat("a", 49, 3)) })
		asks.Go(func() {
			time.Sleep(12 * ms)
			_, _ = update(t, e, "/w/2")
		})
		asks.Go(func() {
			time.Sleep(20 * ms)
			late = ask(t, e, "POST", "/v1/chat/completions", chat("b", 49, 1))
		})
		asks.Wait()
		require.Equal(t, []time.Duration{0, 10 * ms, 514 * ms, 518 * ms}, early.flushes, "the step that was under way ends later by the stall")
		require.Equal(t, 492*ms+10*ms, late.flushes[1], "who comes during the stall begins after it")
		require.Len(t, e.Swaps(), 1)
		require.Equal(t, 500*ms, time.Duration(e.Swaps()[0].AppliedUnixNS-e.Swaps()[0].AskedUnixNS))
	})
}

func TestSwapsThatGoWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lying := startExact(t, swappable(SwapFaults{Lie: true}))
		_, before := answer(t, lying, "m")
		_, success := update(t, lying, "/w/2")
		require.True(t, success)
		_, after := answer(t, lying, "m")
		require.Equal(t, before, after)
		require.Equal(t, "/w/2", namedPath(t, lying))
		require.Zero(t, lying.Swaps()[0].AppliedUnixNS)

		refusing := startExact(t, swappable(SwapFaults{Refuse: true}))
		status, success := update(t, refusing, "/w/2")
		require.Equal(t, http.StatusOK, status)
		require.False(t, success)
		require.Equal(t, "/w/1", namedPath(t, refusing))

		late := startExact(t, swappable(SwapFaults{Late: swap.Duration(time.Second), ErrorBurst: swap.Duration(300 * ms)}))
		_, success = update(t, late, "/w/2")
		require.True(t, success)
		require.Equal(t, "/w/1", namedPath(t, late))
		time.Sleep(1100 * ms)
		require.Equal(t, "/w/2", namedPath(t, late))
		status, _ = answer(t, late, "m")
		require.Equal(t, http.StatusInternalServerError, status)
		time.Sleep(200 * ms)
		status, _ = answer(t, late, "m")
		require.Equal(t, http.StatusOK, status)
	})
}

func TestAdaptersHaveNamesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, swappable(SwapFaults{}))
		load := func(name, path string) (int, string) {
			rec := ask(t, e, "POST", "/v1/load_lora_adapter", `{"lora_name":"`+name+`","lora_path":"`+path+`"}`)
			return rec.Code, rec.Body.String()
		}
		status, _ := answer(t, e, "v2")
		require.Equal(t, http.StatusNotFound, status)
		status, said := load("v2", "/w/2")
		require.Equal(t, http.StatusOK, status)
		require.True(t, strings.HasPrefix(said, "Success: "))
		status, _ = load("v2", "/w/2")
		require.Equal(t, http.StatusBadRequest, status)
		status, _ = load("v3", "/w/3")
		require.Equal(t, http.StatusNotFound, status)
		require.Contains(t, ask(t, e, "GET", "/v1/models", "").Body.String(), `"id":"v2"`)
		_, base := answer(t, e, "m")
		_, adapted := answer(t, e, "v2")
		require.NotEqual(t, base, adapted)

		require.Equal(t, http.StatusOK, ask(t, e, "POST", "/v1/unload_lora_adapter", `{"lora_name":"v2"}`).Code)
		require.Equal(t, http.StatusNotFound, ask(t, e, "POST", "/v1/unload_lora_adapter", `{"lora_name":"v2"}`).Code)
		status, _ = answer(t, e, "v2")
		require.Equal(t, http.StatusNotFound, status)
		require.Equal(t, http.StatusBadRequest, ask(t, e, "POST", "/v1/load_lora_adapter", `{`).Code)
		require.Contains(t, ask(t, e, "GET", "/sim/swaps", "").Body.String(), `"path":"/w/2"`)
	})
}

func TestAServerOfOneModelKnowsNoSwap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := startExact(t, nil)
		require.Equal(t, http.StatusNotFound, ask(t, e, "POST", "/update_weights_from_disk", `{"model_path":"/w/2"}`).Code)
		require.Equal(t, http.StatusNotFound, ask(t, e, "GET", "/model_info", "").Code)
	})
	for _, bad := range []string{
		`{"loaded":"/w/1"}`, `{"weights":{"/w/1":{}},"loaded":"/w/2"}`, `{"weights":{"/w/1":{"slow":0.5}},"loaded":"/w/1"}`,
		`{"faults":{"swap":{"stall":"-1s"}}}`,
	} {
		_, err := ParseConfig([]byte(bad))
		require.Error(t, err, bad)
	}
}
