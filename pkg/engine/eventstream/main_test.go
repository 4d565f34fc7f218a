package eventstream

import (
	"io"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type textEvent struct {
	name, data   string
	unterminated bool
}

func now() Stamp { return Stamp{At: time.Now()} }

// readAll reads events to the end of the body and returns them with the error that ended it.
func readAll(r *Reader) ([]textEvent, error) {
	var out []textEvent
	for {
		ev, err := r.Next()
		if err != nil {
			return out, err
		}
		out = append(out, textEvent{string(ev.Name), string(ev.Data), ev.Unterminated})
	}
}

// script is a source whose every read brings one part; the clock of its stamps moves a second with each read.
type script struct {
	parts []string
	last  error
	reads int
}

func (s *script) Read(p []byte) (int, error) {
	s.reads++
	if len(s.parts) == 0 {
		if s.last != nil {
			return 0, s.last
		}
		return 0, io.EOF
	}
	n := copy(p, s.parts[0])
	if s.parts[0] = s.parts[0][n:]; s.parts[0] == "" {
		s.parts = s.parts[1:]
	}
	return n, nil
}

func (s *script) stamp() Stamp { return Stamp{At: time.Unix(int64(s.reads), 0)} }

// cutReader brings the bytes in pieces of the given sizes, over and over.
type cutReader struct {
	rest  []byte
	sizes []byte
	i     int
}

func (c *cutReader) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	size := 1
	if len(c.sizes) > 0 {
		size += int(c.sizes[c.i%len(c.sizes)])
	}
	n := copy(p, c.rest[:min(len(c.rest), size)])
	c.rest, c.i = c.rest[n:], c.i+1
	return n, nil
}
