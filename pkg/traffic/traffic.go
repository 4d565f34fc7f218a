// Package traffic sets the weights of a gateway and reads them back. A change counts as made only when the gateway itself
// says so: every Apply ends with a read.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

var (
	// ErrConflict means that another writer changed the weights between reading and writing. Whether to try again is for
	// the caller to decide, who should ask first who that writer is.
	ErrConflict = errors.New("another writer changed the weights")
	// ErrUnreachable means that the gateway could not be asked, or answered 5xx. Trying again may help.
	ErrUnreachable = errors.New("the gateway cannot be reached")
	// ErrNotApplied means that the gateway accepted the weights but reads back others.
	ErrNotApplied = errors.New("the gateway reads back other weights")
	// ErrRefused means that the gateway understood and refused: a wrong token, weights that do not sum to 100, or an
	// address that is no admin API. Trying again does not help.
	ErrRefused = errors.New("the gateway refused")
	// ErrUnsupported means that there is no controller for this kind of route.
	ErrUnsupported = errors.New("unsupported kind of route")
)

// State is what a gateway says of itself.
type State struct {
	swap.Weights
	// Version changes with every change of the weights.
	Version int64 `json:"version"`
}

// Counters is what the gateway counted for one arm since it started.
type Counters struct {
	Requests int64 `json:"requests"`
	// Errors counts 5xx replies and failures of the arm.
	Errors   int64 `json:"errors"`
	InFlight int64 `json:"in_flight"`
	// TTFBP50ms and TTFBP95ms are times to first byte; absent without requests.
	TTFBP50ms swap.Value `json:"ttfb_p50_ms"`
	TTFBP95ms swap.Value `json:"ttfb_p95_ms"`
}

// Controller steers one gateway. All methods are safe to repeat.
type Controller interface {
	// Read returns the live state.
	Read(ctx context.Context) (State, error)
	// Apply makes the weights what they should be and returns the state read back. It changes nothing when they already
	// are, and it never overwrites a change that another writer makes meanwhile (ErrConflict).
	Apply(ctx context.Context, want swap.Weights) (State, error)
	// Counters returns the gateway's own counters, and false where the gateway has none.
	Counters(ctx context.Context) (swap.PerArm[Counters], bool, error)
}

// New returns the controller of a route. The token authorises against the admin API; empty sends none. hc bounds the time
// of a call, or the context does; nil stands for http.DefaultClient.
func New(route swap.Route, token string, hc *http.Client) (Controller, error) {
	if hc == nil {
		hc = http.DefaultClient
	}
	switch route.Kind {
	case swap.RouteSwapgate:
		if !strings.HasPrefix(route.AdminURL, "http://") && !strings.HasPrefix(route.AdminURL, "https://") {
			return nil, fmt.Errorf("%w: admin_url of the route must be an http or https URL", ErrUnsupported)
		}
		return &adminAPI{base: strings.TrimRight(route.AdminURL, "/"), token: token, http: hc}, nil
	}
	return nil, fmt.Errorf("%w %q: use %q", ErrUnsupported, route.Kind, swap.RouteSwapgate)
}
