package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Stack is a set of things that run on one machine and share a directory. They are stopped in the reverse order of their
// start. A Stack is not safe for concurrent use.
type Stack struct {
	dir   string
	parts []part
}

type part struct {
	name string
	stop func(context.Context) error
}

// NewStack makes a stack in dir, which is created if need be.
func NewStack(dir string) (*Stack, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(abs, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("working directory of the local stack: %w", err)
	}
	return &Stack{dir: abs}, nil
}

// Dir is the absolute path of the stack's directory.
func (s *Stack) Dir() string { return s.dir }

// Add registers something that runs.
func (s *Stack) Add(name string, stop func(context.Context) error) {
	s.parts = append(s.parts, part{name, stop})
}

// Stop stops everything, newest first. What fails to stop does not keep the rest running; the error names it.
func (s *Stack) Stop(ctx context.Context) error {
	var errs []error
	for len(s.parts) > 0 {
		last := s.parts[len(s.parts)-1]
		s.parts = s.parts[:len(s.parts)-1]
		if err := last.stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", last.name, err))
		}
	}
	return errors.Join(errs...)
}
