package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// Kind is what is particular to one kind of object. Read and Plan are pure.
type Kind interface {
	// Refs are the objects that hold the weights.
	Refs() []Ref
	// Read says what the objects, in the order of Refs, make of the traffic. It leaves the version to the controller.
	Read(objects []Object) (traffic.State, error)
	// Plan returns what makes the weights the wanted ones, in the order in which it must be done; nothing when they are.
	Plan(objects []Object, want swap.Weights) ([]Change, error)
	// Capabilities says what gateways of this kind can do.
	Capabilities() traffic.Capabilities
}

// Change is a patch of one object.
type Change struct {
	Object Object
	// Field leads to the weights in the set of fields that the API keeps for each writer.
	Field []string
	Ops   []Op
}

// Patience is how a controller waits for the gateway to take over what was written.
type Patience struct {
	// For is how long in all, Every how long between two looks.
	For, Every time.Duration
}

// DefaultPatience is long enough for a gateway that watches, and short enough for the caller to hear of one that does not.
var DefaultPatience = Patience{For: 10 * time.Second, Every: 100 * time.Millisecond}

// Controller steers the objects of one kind.
type Controller struct {
	client   *Client
	kind     Kind
	patience Patience
}

// NewController returns the controller of a kind of object.
func NewController(client *Client, kind Kind, patience Patience) *Controller {
	return &Controller{client: client, kind: kind, patience: patience}
}

// Capabilities says what the gateway can do.
func (c *Controller) Capabilities() traffic.Capabilities { return c.kind.Capabilities() }

// Counters says that the API counts nothing.
func (*Controller) Counters(context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	return swap.PerArm[traffic.Counters]{}, false, nil
}

// Read returns the weights and whether the gateway has taken them over.
func (c *Controller) Read(ctx context.Context) (traffic.State, error) {
	_, state, err := c.read(ctx)
	return state, err
}

func (c *Controller) read(ctx context.Context) ([]Object, traffic.State, error) {
	var objects []Object
	for _, ref := range c.kind.Refs() {
		o, err := c.client.Get(ctx, ref)
		if err != nil {
			return nil, traffic.State{}, err
		}
		objects = append(objects, o)
	}
	state, err := c.kind.Read(objects)
	for i, o := range objects {
		if i > 0 {
			state.Version += "/"
		}
		state.Version += o.version()
	}
	return objects, state, err
}

// Apply sets the weights, on the condition that nobody changed the objects since they were read, and waits until the gateway
// says that it took them over. Giving the candidate more is refused where another controller holds the weights, or where the
// gateway could not follow; giving it less never is.
func (c *Controller) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	objects, before, err := c.read(ctx)
	if err != nil {
		return before, err
	}
	changes, err := c.kind.Plan(objects, want)
	if err == nil && want.Candidate > before.Candidate {
		err = c.mayRaise(changes, before)
	}
	if err != nil {
		return before, wanted(want, err)
	}
	writeErr := c.write(ctx, changes)
	if errors.Is(writeErr, traffic.ErrRefused) || errors.Is(writeErr, traffic.ErrConflict) {
		return before, wanted(want, writeErr)
	}
	if writeErr != nil {
		// Whatever else went wrong may have taken effect all the same: the objects decide. Where they are not what is wanted, there
		// is nothing to wait for.
		_, now, err := c.read(ctx)
		if err != nil || now.Weights != want {
			return now, errors.Join(wanted(want, writeErr), err)
		}
	}
	return c.await(ctx, want)
}

// Rehearse tries whether the candidate could be given one percent more, by patches that the API checks and does not carry out.
func (c *Controller) Rehearse(ctx context.Context) error {
	objects, before, err := c.read(ctx)
	if err != nil || before.Candidate >= 100 {
		return err
	}
	want := swap.Weights{Baseline: 99 - before.Candidate, Candidate: before.Candidate + 1}
	changes, err := c.kind.Plan(objects, want)
	if err == nil {
		err = c.mayRaise(changes, before)
	}
	for _, change := range changes {
		if err == nil {
			err = c.client.Try(ctx, change.Object, change.Ops)
		}
	}
	if err != nil {
		return fmt.Errorf("rehearse the rollout: %w", err)
	}
	return nil
}

func wanted(want swap.Weights, err error) error {
	return fmt.Errorf("set weights to baseline %d / candidate %d: %w", want.Baseline, want.Candidate, err)
}

func (c *Controller) mayRaise(changes []Change, before traffic.State) error {
	if before.Pending != "" {
		return fmt.Errorf("%w: %s", traffic.ErrNotApplied, before.Pending)
	}
	for _, change := range changes {
		if err := checkManagers(change.Object, change.Field); err != nil {
			return err
		}
	}
	return nil
}

func (c *Controller) write(ctx context.Context, changes []Change) error {
	for _, change := range changes {
		if err := c.client.Patch(ctx, change.Object, change.Ops); err != nil {
			return err
		}
	}
	return nil
}

// await looks until the gateway says that live traffic follows the weights. A caller who is in a hurry ends it with ctx.
func (c *Controller) await(ctx context.Context, want swap.Weights) (traffic.State, error) {
	waiting, done := context.WithTimeout(ctx, c.patience.For)
	defer done()
	for {
		_, state, err := c.read(ctx)
		if err != nil || (state.Weights == want && state.Pending == "") {
			return state, err
		}
		select {
		case <-time.After(c.patience.Every):
		case <-waiting.Done():
			return state, notApplied(want, state, c.kind.Refs()[0])
		}
	}
}

func notApplied(want swap.Weights, got traffic.State, where Ref) error {
	reason := got.Pending
	if reason == "" {
		reason = "no reason is given"
	}
	return fmt.Errorf("%w: wanted baseline %d / candidate %d, read %d / %d from %s: %s",
		traffic.ErrNotApplied, want.Baseline, want.Candidate, got.Baseline, got.Candidate, where, reason)
}
