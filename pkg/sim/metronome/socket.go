package metronome

import (
	"errors"
	"net"
	"time"
)

// errSlowReader ends the stream of a client that leaves so much unread that the kernel takes no more. To wait for it would
// hold up every other stream.
var errSlowReader = errors.New("the client does not read")

// arrivals is a connection that knows when the bytes of its latest read arrived.
type arrivals interface {
	net.Conn
	pusher
	arrived() time.Time
}

// plainSocket is a connection as the standard library has it.
type plainSocket struct {
	net.Conn
	at time.Time
}

func (s *plainSocket) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	s.at = time.Now()
	return n, err
}

func (s *plainSocket) arrived() time.Time { return s.at }

func (s *plainSocket) push(piece []byte) error {
	_, err := s.Write(piece)
	return err
}
