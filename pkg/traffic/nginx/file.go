package nginx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// file is the file with the upstream as it was read.
type file struct {
	path    string
	data    []byte
	written time.Time
	mode    fs.FileMode
}

func readFile(path string) (file, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, fmt.Errorf("%w: there is no file %s: make one with the upstream, and have NGINX include it", traffic.ErrRefused, path)
	}
	if err != nil {
		return file{}, fmt.Errorf("%w: %w", kindOf(err), err)
	}
	data, err := os.ReadFile(path) //nolint:gosec // the file that the route names
	if err != nil {
		return file{}, fmt.Errorf("%w: %w", kindOf(err), err)
	}
	return file{path, data, info.ModTime(), info.Mode().Perm()}, nil
}

// replace puts other data in the place of a file, at once and for good, if the file is still as it was read. It keeps owner and mode.
func (f file) replace(data []byte) error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now.data, f.data) {
		return fmt.Errorf("%w: %s changed since it was read", traffic.ErrConflict, f.path)
	}
	return f.put(data, time.Time{})
}

// restore puts back what was read, with the time at which it was written.
func (f file) restore() error { return f.put(f.data, f.written) }

func (f file) put(data []byte, written time.Time) error {
	// A name that no pattern of an include takes for configuration.
	temp, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("%w: %w", kindOf(err), err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(f.mode), f.own(temp), temp.Sync(), temp.Close())
	if err == nil && !written.IsZero() {
		err = os.Chtimes(temp.Name(), written, written)
	}
	if err == nil {
		err = os.Rename(temp.Name(), f.path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(f.path))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", kindOf(err), err)
	}
	return nil
}

// own gives the new file the owner of the old one, where this process may.
func (f file) own(temp *os.File) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		if err := temp.Chown(int(sys.Uid), int(sys.Gid)); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

func syncDir(path string) error {
	dir, err := os.Open(path) //nolint:gosec // the folder of the file that the route names
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
