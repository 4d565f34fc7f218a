// Package gateways opens the controller that a route asks for.
package gateways

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/command"
	"github.com/swapgate/swapgate/pkg/traffic/haproxy"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
	"github.com/swapgate/swapgate/pkg/traffic/nginx"
	"github.com/swapgate/swapgate/pkg/traffic/swapgate"
)

// Open returns the controller of a route. The token authorises against the gateway's API; empty sends none. hc bounds the time
// of a call, or the context does; nil stands for http.DefaultClient. programs are those that this worker may run. A kind that is
// not known is ErrUnsupported.
func Open(route swap.Route, token string, hc *http.Client, programs command.Programs) (traffic.Controller, error) {
	if hc == nil {
		hc = http.DefaultClient
	}
	if route.AdminCA != "" {
		var err error
		if hc, err = httpapi.Trusting(route.AdminCA, hc.Timeout); err != nil {
			return nil, err
		}
	}
	if kind := kubeKind(route); kind != nil {
		return openKube(route, kind, token, hc)
	}
	switch route.Kind {
	case swap.RouteSwapgate:
		api, err := httpapi.New(route.AdminURL, token, hc)
		if err != nil {
			return nil, err
		}
		return swapgate.New(api), nil
	case swap.RouteHAProxy:
		return openHAProxy(route, token, hc)
	case swap.RouteNGINX:
		if route.NGINX != nil {
			return nginx.Open(*route.NGINX, programs.Run)
		}
	case swap.RouteLiteLLM:
		if route.LiteLLM != nil {
			return openLiteLLM(route, token, hc)
		}
	case swap.RouteWebhook:
		return openWebhook(route, token, hc)
	case swap.RouteCommand:
		if route.Command != nil {
			return programs.Open(route.Command.Name)
		}
	}
	if slices.Contains(swap.RouteKinds, route.Kind) {
		return nil, fmt.Errorf("%w: a route of kind %s needs the section of that name", traffic.ErrUnsupported, route.Kind)
	}
	return nil, fmt.Errorf("%w %q: use one of %v", traffic.ErrUnsupported, route.Kind, swap.RouteKinds)
}

func openHAProxy(route swap.Route, token string, hc *http.Client) (traffic.Controller, error) {
	switch {
	case route.HAProxy == nil:
		return nil, fmt.Errorf("%w: a route of kind haproxy needs its section haproxy", traffic.ErrUnsupported)
	case route.HAProxy.Socket != "":
		return haproxy.Open(*route.HAProxy)
	}
	api, err := httpapi.New(route.AdminURL, token, hc)
	if err != nil {
		return nil, err
	}
	return haproxy.OpenDataPlane(*route.HAProxy, api)
}
