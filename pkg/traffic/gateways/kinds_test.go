package gateways

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/command"
	"github.com/swapgate/swapgate/pkg/traffic/webhook"
)

// complete are routes that say all that their kind needs.
var complete = []swap.Route{
	{Kind: swap.RouteHTTPRoute, HTTPRoute: &swap.HTTPRoute{Namespace: "n", Name: "r", Baseline: "b", Candidate: "c"}},
	{Kind: swap.RouteInferenceService, InferenceService: &swap.InferenceService{Namespace: "n", Name: "r", Baseline: "b", Candidate: "c"}},
	{Kind: swap.RouteLLMInferenceService, LLMInferenceService: &swap.LLMInferenceService{Namespace: "n", Baseline: "b", Candidate: "c"}},
	{Kind: swap.RouteVirtualService, VirtualService: &swap.VirtualService{Namespace: "n", Name: "r"}},
	{Kind: swap.RouteLiteLLM, LiteLLM: &swap.LiteLLM{Model: "m", Baseline: "b", Candidate: "c"}},
	{Kind: swap.RouteWebhook},
	{Kind: swap.RouteCommand, Command: &swap.Command{Name: "f5"}},
}

func TestEachKindIsOpenedByItsSection(t *testing.T) {
	programs := command.Programs{"f5": {Argv: []string{"/bin/true"}}}
	for _, r := range complete {
		r.AdminURL = "https://example.com"
		c, err := Open(r, "token", nil, programs)
		require.NoError(t, err, r.Kind)
		require.NotNil(t, c)
		if r.Kind == swap.RouteWebhook {
			continue
		}
		_, err = Open(swap.Route{Kind: r.Kind, AdminURL: r.AdminURL}, "token", nil, programs)
		require.ErrorIs(t, err, traffic.ErrUnsupported)
		require.ErrorContains(t, err, "needs the section")
	}
}

func TestWithoutAnAddressOnlyAPodFindsItsCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for _, r := range complete {
		_, err := Open(r, "", nil, nil)
		require.ErrorIs(t, err, traffic.ErrUnsupported, r.Kind)
	}
}

func TestCommandsAreOnlyWhatTheWorkerLists(t *testing.T) {
	r := complete[len(complete)-1]
	_, err := Open(r, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	require.ErrorContains(t, err, `lists no command "f5"`)
}

func TestAWebhookIsSignedByTheKeyOfTheWorker(t *testing.T) {
	var got http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		_, _ = w.Write([]byte(`{"baseline":100,"candidate":0}`))
	}))
	t.Cleanup(srv.Close)
	r := swap.Route{Kind: swap.RouteWebhook, AdminURL: srv.URL, Webhook: &swap.Webhook{SigningKey: &swap.SecretRef{Env: "HOOK_KEY"}}}
	_, err := Open(r, "", nil, nil)
	require.ErrorIs(t, err, secret.ErrInvalid)
	t.Setenv("HOOK_KEY", "k")
	c, err := Open(r, "token", nil, nil)
	require.NoError(t, err)
	_, err = c.Read(t.Context())
	require.NoError(t, err)
	require.Len(t, got.Get(webhook.SignatureHeader), 64)
	require.NotEmpty(t, got.Get(webhook.TimestampHeader))
	require.Equal(t, "Bearer token", got.Get("Authorization"))
}

func TestAnAuthorityThatCannotBeReadIsSaid(t *testing.T) {
	r := complete[0]
	r.AdminURL, r.AdminCA = "https://example.com", "/nowhere/ca.pem"
	_, err := Open(r, "", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	require.ErrorContains(t, err, "/nowhere/ca.pem")
}
