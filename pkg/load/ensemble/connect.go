package ensemble

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

// connectWithin bounds the try at one address; some of a host's addresses lead nowhere.
const connectWithin = 3 * time.Second

// connect reaches the conductor at the first of its addresses that works.
func connect(ctx context.Context, notice Notice, silence time.Duration) (*tls.Conn, error) {
	if err := notice.check(); err != nil {
		return nil, err
	}
	id, err := identity(notice.Token)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, address := range notice.Addresses {
		conn, err := connectTo(ctx, address, id, silence)
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

func connectTo(ctx context.Context, address string, id *tls.Config, silence time.Duration) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	secured := tls.Client(watched{Conn: conn, silence: silence}, id)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("handshake with %s: %w", address, err)
	}
	return secured, nil
}
