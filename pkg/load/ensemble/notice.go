package ensemble

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
)

// ErrNoNotice says that nothing was published yet.
var ErrNoNotice = errors.New("no notice")

// Noticeboard is where the followers of one step find its conductor. Only shards of the step may read or write it.
type Noticeboard interface {
	// Publish replaces the notice.
	Publish(ctx context.Context, n Notice) error
	// Read returns the latest notice, or ErrNoNotice.
	Read(ctx context.Context) (Notice, error)
}

// Notice says where a conductor listens, or that the step has ended.
type Notice struct {
	// Attempt is the conductor's.
	Attempt string `json:"attempt"`
	// Addresses are host:port, the likeliest first.
	Addresses []string `json:"addresses,omitempty"`
	Token     Token    `json:"token,omitempty"`
	// Ended says that every block is sealed and nobody is needed any more.
	Ended bool `json:"ended,omitempty"`
}

// Token is the shared secret of the shards of a step. It hides itself from fmt and slog, but not from JSON.
type Token string

const (
	tokenBytes = 32
	// mostAddresses is far more than a host has.
	mostAddresses = 64
)

func newToken() Token {
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // never fails
	return Token(hex.EncodeToString(secret))
}

// String hides the token.
func (Token) String() string { return "[redacted]" }

// GoString hides the token.
func (t Token) GoString() string { return t.String() }

// LogValue hides the token.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

func (n Notice) check() error {
	switch {
	case len(n.Token) != 2*tokenBytes:
		return errors.New("the notice of the conductor has no usable token")
	case len(n.Addresses) == 0 || len(n.Addresses) > mostAddresses:
		return fmt.Errorf("the notice of the conductor has %d addresses", len(n.Addresses))
	}
	return nil
}
