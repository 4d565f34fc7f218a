// Package traffic sets the weights of a gateway and reads them back. A change counts as made only when the gateway itself
// says so: every Apply ends with a read.
package traffic

import (
	"context"
	"errors"
	"time"

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
	// Version changes with every change of the weights, where the gateway has such a thing, and with nothing that cannot change
	// where requests go: a window during which it changed is not judged.
	Version string `json:"version,omitempty"`
	// Pending says why live traffic may not follow the weights: what routes has not taken them over yet, or something beside
	// the two arms takes part. Empty when it does follow.
	Pending string `json:"pending,omitempty"`
}

// Capabilities is what a kind of gateway can do.
type Capabilities struct {
	// Counters says that the gateway counts requests and errors of each arm.
	Counters bool
	// Propagation is how long after it was read back a change may still be on its way to the processes that route: until
	// then the realised share may be that of before.
	Propagation time.Duration
	// DrainsStreams says that answers that are on their way when the weights change are finished where they began.
	DrainsStreams bool
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

// Rehearser is a Controller that can try, without changing anything, whether it could give the candidate more. A run asks it at its
// beginning: what forbids a rollout should not be found after hours of load.
type Rehearser interface {
	// Rehearse fails as Apply would, were it to give the candidate one percent more.
	Rehearse(ctx context.Context) error
}

// Controller steers one gateway. All methods are safe to repeat.
type Controller interface {
	// Capabilities says what this gateway can do. It asks nobody.
	Capabilities() Capabilities
	// Read returns the live state.
	Read(ctx context.Context) (State, error)
	// Apply makes the weights what they should be and returns the state read back. It changes nothing when they already
	// are, and it never overwrites a change that another writer makes meanwhile (ErrConflict).
	Apply(ctx context.Context, want swap.Weights) (State, error)
	// Counters returns the gateway's own counters, and false where the gateway has none.
	Counters(ctx context.Context) (swap.PerArm[Counters], bool, error)
}
