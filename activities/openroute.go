package activities

import (
	"net/http"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/command"
	"github.com/swapgate/swapgate/pkg/traffic/gateways"
)

// AllowCommands lets routes of kind command name these programs of the worker. Without it they can name none.
func (d *Deps) AllowCommands(programs command.Programs) { d.OpenRoute = openRoute(d.HTTP, programs) }

// openRoute connects to gateways with the credentials of this worker.
func openRoute(hc *http.Client, programs command.Programs) func(swap.Route) (traffic.Controller, error) {
	return func(r swap.Route) (traffic.Controller, error) {
		token, err := secret.Resolve(r.AdminToken)
		if err != nil {
			return nil, err
		}
		return gateways.Open(r, token.Reveal(), hc, programs)
	}
}
