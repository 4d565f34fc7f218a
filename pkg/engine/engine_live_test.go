//go:build engine

package engine

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

const liveTimeout = 2 * time.Minute

// liveTarget is the server at SWAPGATE_ENGINE_URL. Without SWAPGATE_ENGINE_MODEL it is asked for the first model it lists.
func liveTarget(t *testing.T) Target {
	t.Helper()
	target := Target{
		URL: os.Getenv("SWAPGATE_ENGINE_URL"), Model: os.Getenv("SWAPGATE_ENGINE_MODEL"), Key: os.Getenv("SWAPGATE_ENGINE_KEY"),
	}
	require.NotEmpty(t, target.URL, "set SWAPGATE_ENGINE_URL to a running OpenAI-compatible server")
	if target.Model == "" {
		list, err := prober{http: liveHTTP(t), target: target}.models(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, list.Data, "the server lists no model")
		target.Model = list.Data[0].ID
	}
	return target
}

func liveHTTP(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	return &http.Client{Transport: transport, Timeout: liveTimeout}
}

func liveFacts(t *testing.T, target Target) swap.ArmFacts {
	t.Helper()
	facts, err := Probe(t.Context(), liveHTTP(t), target, swap.APIChat)
	require.NoError(t, err)
	return facts
}

func liveClient(t *testing.T, target Target) *Client {
	t.Helper()
	c, err := NewClient(target, ClientOptions{Capabilities: protocol.CapabilitiesOf(liveFacts(t, target))})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestLiveProbe(t *testing.T) {
	target := liveTarget(t)
	facts := liveFacts(t, target)
	t.Logf("%+v", facts)
	require.Equal(t, target.URL, facts.URL)
	require.Equal(t, target.Model, facts.Model)
	require.NotEmpty(t, facts.Engine)
	require.NotEmpty(t, facts.TokenLimitKey)
}

func TestLiveProbeRefusesAnotherModel(t *testing.T) {
	target := liveTarget(t)
	target.Model += "-of-another-name"
	_, err := Probe(t.Context(), liveHTTP(t), target, swap.APIChat)
	var mismatch *ModelMismatchError
	require.ErrorAs(t, err, &mismatch)
	require.NotEmpty(t, mismatch.Served)
}

func TestLiveStreams(t *testing.T) {
	target := liveTarget(t)
	c := liveClient(t, target)
	const maxTokens = 16
	for _, api := range []swap.API{swap.APIChat, swap.APICompletions} {
		t.Run(string(api), func(t *testing.T) {
			began := time.Now()
			o := c.Stream(t.Context(), protocol.Ask{
				API: api, Prompt: "Count from one to twenty in words.", MaxTokens: maxTokens, Timeout: liveTimeout,
			})
			t.Logf("%s: TTFT %s, E2E %s, %d chunks, finish reason %s", o.Outcome, o.First.Sub(o.Sent), o.End.Sub(o.Sent), o.Chunks, o.FinishReason)
			require.Equal(t, swap.OK, o.Outcome, o.Err)
			require.Equal(t, http.StatusOK, o.Status)
			requireOrder(t, began, o)
			require.Contains(t, []string{"stop", "length"}, o.FinishReason)
			require.LessOrEqual(t, o.Chunks, maxTokens)
			require.Len(t, o.GapsUS, o.Chunks-1)
			requireUsage(t, c.caps, o, maxTokens)
			require.Equal(t, 1, o.Attempts)
		})
	}
}

// requireOrder holds the times of a good answer to the order in which the events must happen.
func requireOrder(t *testing.T, began time.Time, o Observation) {
	t.Helper()
	times := []time.Time{began, o.Sent, o.Headers, o.Role, o.First, o.Last, o.End, time.Now()}
	names := []string{"call", "sent", "headers", "first choice", "first token", "last token", "end", "return"}
	for i := 1; i < len(times); i++ {
		require.False(t, times[i].Before(times[i-1]), "%s comes before %s", names[i], names[i-1])
	}
	require.False(t, o.Visible.Before(o.First), "visible text comes before the first token")
	var gaps time.Duration
	for _, us := range o.GapsUS {
		gaps += time.Duration(us) * time.Microsecond
	}
	require.InDelta(t, o.Last.Sub(o.First), gaps, float64(len(o.GapsUS)+1)*float64(time.Microsecond))
}

// requireUsage wants token counts exactly where the probe found that the server gives them.
func requireUsage(t *testing.T, caps protocol.Capabilities, o Observation, maxTokens int) {
	t.Helper()
	if !caps.UsageInStream {
		require.Nil(t, o.OutputTokens)
		return
	}
	require.NotNil(t, o.OutputTokens)
	require.NotNil(t, o.PromptTokens)
	require.Positive(t, *o.PromptTokens)
	require.Positive(t, *o.OutputTokens)
	require.LessOrEqual(t, int(*o.OutputTokens), maxTokens)
}

// Half the time that an answer needs must cut it off, whatever the engine does when its client leaves.
func TestLiveTimeoutCutsAnAnswerOff(t *testing.T) {
	c := liveClient(t, liveTarget(t))
	ask := protocol.Ask{API: swap.APIChat, Prompt: "Tell a long story about the sea.", MaxTokens: 64, Timeout: liveTimeout}
	whole := c.Stream(t.Context(), ask)
	require.Equal(t, swap.OK, whole.Outcome, whole.Err)

	ask.Timeout = whole.End.Sub(whole.Sent) / 2
	cut := c.Stream(t.Context(), ask)
	require.Contains(t, []swap.Outcome{swap.TimeoutFirst, swap.TimeoutTotal}, cut.Outcome)
	require.Less(t, cut.Chunks, whole.Chunks)

	ask.Timeout = liveTimeout
	after := c.Stream(t.Context(), ask)
	require.Equal(t, swap.OK, after.Outcome, "the server still answers: %s", after.Err)
}
