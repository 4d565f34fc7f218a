package load

import (
	"context"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
)

// Sender makes requests ready and sends them; *engine.Client is one. A shot must end at once when ctx is cancelled.
type Sender interface {
	Ready(ctx context.Context, ask protocol.Ask) engine.Shot
}
