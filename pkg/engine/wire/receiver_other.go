//go:build !linux

package wire

import "net"

type receiver struct{}

func newReceiver(net.Conn) *receiver { return nil }

func (*receiver) read([]byte) (int, int64, error) { return 0, 0, net.ErrClosed }
