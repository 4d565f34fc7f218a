package activities

import (
	"context"
	"errors"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/runstore"
)

// board is the noticeboard of a step: one object beside its raw data, which needs the same protection.
type board struct {
	store *runstore.Store
	key   string
}

func (b board) Publish(ctx context.Context, n ensemble.Notice) error {
	_, err := runstore.PutJSON(ctx, b.store, b.key, "noticeboard/v1", n)
	return err
}

func (b board) Read(ctx context.Context) (ensemble.Notice, error) {
	n, _, err := runstore.GetKeyJSON[ensemble.Notice](ctx, b.store, b.key)
	if errors.Is(err, runstore.ErrNotFound) {
		return ensemble.Notice{}, ensemble.ErrNoNotice
	}
	return n, err
}
