package runstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"
)

// spillDir is a directory for temporary files that is made when the first one is needed. It is safe for concurrent use.
type spillDir struct {
	// parent of the directory; empty is the system's directory for temporary files.
	parent string

	mu      sync.Mutex
	path    string
	removed bool
}

func (d *spillDir) create() (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.removed {
		return nil, errClosed
	}
	if d.path == "" {
		path, err := os.MkdirTemp(d.parent, "swapgate-spill-")
		if err != nil {
			return nil, err
		}
		d.path = path
	}
	return os.CreateTemp(d.path, "")
}

// remove deletes the directory with all that is in it; no file can be made after it.
func (d *spillDir) remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.removed = true
	if d.path == "" {
		return nil
	}
	err := os.RemoveAll(d.path)
	d.path = ""
	return err
}

// spooled is content that lies in a file.
type spooled struct {
	path   string
	bytes  int64
	sha256 string
}

// spool takes the content of an object as it is written and hashes it on the way. Up to limit bytes stay in memory; longer
// content goes to a file that create makes.
type spool struct {
	create func() (*os.File, error)
	limit  int64
	sum    hash.Hash // nil where the content is hashed elsewhere
	size   int64
	buf    bytes.Buffer
	file   *os.File
	err    error // the first failure to write
}

func newSpool(create func() (*os.File, error), limit int64) *spool {
	return &spool{create: create, limit: limit, sum: sha256.New()}
}

func (s *spool) Write(p []byte) (int, error) {
	if s.err == nil {
		s.err = s.write(p)
	}
	if s.err != nil {
		return 0, s.err
	}
	return len(p), nil
}

func (s *spool) write(p []byte) error {
	if s.file == nil && s.size+int64(len(p)) > s.limit {
		if err := s.toFile(); err != nil {
			return fmt.Errorf("write a temporary file: %w", err)
		}
	}
	s.size += int64(len(p))
	if s.sum != nil {
		_, _ = s.sum.Write(p)
	}
	if s.file == nil {
		s.buf.Write(p)
		return nil
	}
	if _, err := s.file.Write(p); err != nil {
		return fmt.Errorf("write a temporary file: %w", err)
	}
	return nil
}

func (s *spool) toFile() (err error) {
	if s.file, err = s.create(); err != nil {
		return err
	}
	_, err = s.file.Write(s.buf.Bytes())
	s.buf = bytes.Buffer{}
	return err
}

// finish ends writing and moves the content into o.
func (s *spool) finish(o *object) error {
	if s.err != nil || s.file == nil {
		o.data = s.buf.Bytes()
		return s.err
	}
	o.file = &spooled{path: s.file.Name(), bytes: s.size, sha256: hex.EncodeToString(s.sum.Sum(nil))}
	return s.file.Close()
}

// reader gives the content that was written.
func (s *spool) reader() io.ReaderAt {
	if s.file != nil {
		return s.file
	}
	return bytes.NewReader(s.buf.Bytes())
}

// discard lets the content go.
func (s *spool) discard() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}
