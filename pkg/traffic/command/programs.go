// Package command steers a gateway through a program on the worker. Which programs there are is for the worker's operator alone to
// say; a request names one and chooses nothing else of it. docs/gateways.md describes what a program must do.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// Programs are the programs that a worker may run, by the names that requests use.
type Programs map[string]Program

// Program is one program of the worker's configuration.
type Program struct {
	// Argv is the program, by its absolute path, and its first arguments. No shell reads them.
	Argv []string `yaml:"argv"`
	// Env names the variables of the worker that the program sees beside PATH. It sees no others.
	Env []string `yaml:"env"`
	// Timeout ends a call; 0 stands for defaultTimeout.
	Timeout time.Duration `yaml:"timeout"`
}

const (
	defaultTimeout = 10 * time.Second
	// maxTimeout is below what an activity that sets weights has.
	maxTimeout = 25 * time.Second
	// maxFile is far above any list of programs.
	maxFile = 1 << 20
)

var (
	programName  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Load reads the worker's list of programs. A file that others may write is refused: it decides what the worker runs.
func Load(file string) (Programs, error) {
	f, err := os.Open(file) //nolint:gosec // the worker's operator names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return nil, fmt.Errorf("%s: everybody may write it (%v); it decides what this worker runs", file, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	programs, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return programs, nil
}

func parse(data []byte) (Programs, error) {
	var list struct {
		Commands Programs `yaml:"commands"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&list); err != nil {
		return nil, err
	}
	if len(list.Commands) == 0 {
		return nil, errors.New("it lists no commands")
	}
	for name, p := range list.Commands {
		if err := p.check(name); err != nil {
			return nil, fmt.Errorf("command %q: %w", name, err)
		}
	}
	return list.Commands, nil
}

func (p Program) check(name string) error {
	switch {
	case !programName.MatchString(name):
		return errors.New("a name is made of a-z, 0-9 and -")
	case len(p.Argv) == 0 || !filepath.IsAbs(p.Argv[0]):
		return errors.New("argv must begin with the absolute path of a program")
	case p.Timeout < 0 || p.Timeout > maxTimeout:
		return fmt.Errorf("timeout must be at most %v", maxTimeout)
	}
	for _, v := range p.Env {
		if !variableName.MatchString(v) {
			return fmt.Errorf("env: %q is no name of a variable", v)
		}
	}
	return nil
}

// Run runs a program as it stands in the list, for a kind of gateway that needs one beside its own way. The error holds what the
// program complained of.
func (p Programs) Run(ctx context.Context, name string) error {
	r, err := p.runner(name)
	if err != nil {
		return err
	}
	_, err = r.run(ctx)
	return err
}

// Open returns the controller that runs a program. A name that the worker does not list is traffic.ErrUnsupported.
func (p Programs) Open(name string) (traffic.Controller, error) {
	r, err := p.runner(name)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (p Programs) runner(name string) (*Runner, error) {
	program, found := p[name]
	if !found {
		return nil, fmt.Errorf("%w: this worker lists no command %q; its operator must allow it by --commands", traffic.ErrUnsupported, name)
	}
	program.Argv = slices.Clone(program.Argv)
	if program.Timeout == 0 {
		program.Timeout = defaultTimeout
	}
	return &Runner{name: name, program: program}, nil
}
