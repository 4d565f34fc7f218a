package gateways

import (
	"net/http"
	"os"
	"time"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
	"github.com/swapgate/swapgate/pkg/traffic/httproute"
	"github.com/swapgate/swapgate/pkg/traffic/istio"
	"github.com/swapgate/swapgate/pkg/traffic/kserve"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
	"github.com/swapgate/swapgate/pkg/traffic/litellm"
	"github.com/swapgate/swapgate/pkg/traffic/webhook"
)

// kubeKind is the kind of object of Kubernetes that a route names; nil when it names none.
func kubeKind(route swap.Route) kube.Kind {
	switch {
	case route.Kind == swap.RouteHTTPRoute && route.HTTPRoute != nil:
		return httproute.New(*route.HTTPRoute)
	case route.Kind == swap.RouteInferenceService && route.InferenceService != nil:
		return kserve.NewInferenceService(*route.InferenceService)
	case route.Kind == swap.RouteLLMInferenceService && route.LLMInferenceService != nil:
		return kserve.NewLLMInferenceService(*route.LLMInferenceService)
	case route.Kind == swap.RouteVirtualService && route.VirtualService != nil:
		return istio.New(*route.VirtualService)
	}
	return nil
}

// openKube steers through the API at the route's admin_url, or through that of the cluster that this worker runs in.
func openKube(route swap.Route, kind kube.Kind, token string, hc *http.Client) (traffic.Controller, error) {
	var client *kube.Client
	var err error
	if route.AdminURL == "" {
		client, err = kube.InCluster(os.Getenv, kube.Account, hc.Timeout)
	} else {
		client, err = kube.NewClient(route.AdminURL, func() (string, error) { return token, nil }, hc)
	}
	if err != nil {
		return nil, err
	}
	return kube.NewController(client, kind, kube.DefaultPatience), nil
}

func openLiteLLM(route swap.Route, token string, hc *http.Client) (traffic.Controller, error) {
	api, err := httpapi.New(route.AdminURL, token, hc)
	if err != nil {
		return nil, err
	}
	return litellm.New(api, *route.LiteLLM), nil
}

func openWebhook(route swap.Route, token string, hc *http.Client) (traffic.Controller, error) {
	api, err := httpapi.New(route.AdminURL, token, hc)
	if err != nil {
		return nil, err
	}
	var section swap.Webhook
	if route.Webhook != nil {
		section = *route.Webhook
	}
	key, err := secret.Resolve(section.SigningKey)
	if err != nil {
		return nil, err
	}
	return webhook.New(api, section.Target, key.Reveal(), time.Now), nil
}
