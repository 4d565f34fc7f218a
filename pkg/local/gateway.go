package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// The environment that carries S3Options to a child, where arguments would show the keys to every user of the machine.
const (
	envS3Listen    = "SWAPGATE_S3_LISTEN"
	envS3Data      = "SWAPGATE_S3_DATA"
	envS3AccessKey = "SWAPGATE_S3_ACCESS_KEY"
	envS3SecretKey = "SWAPGATE_S3_SECRET_KEY" //nolint:gosec // a name, not a key
)

const (
	healthPath  = "/_health"
	awsCopyMost = 5 << 30 // largest source of CopyObject in S3
)

// S3Options say where an S3 service listens and keeps its objects.
type S3Options struct {
	// Listen is host:port.
	Listen string
	// DataDir is an absolute path; it is created if need be.
	DataDir string
	// AccessKey and SecretKey are those of the one account.
	AccessKey string
	SecretKey string
}

func (o S3Options) environ() []string {
	return []string{
		envS3Listen + "=" + o.Listen, envS3Data + "=" + o.DataDir,
		envS3AccessKey + "=" + o.AccessKey, envS3SecretKey + "=" + o.SecretKey,
	}
}

// S3OptionsFromEnv are the options that StartS3 gave to this process.
func S3OptionsFromEnv() S3Options {
	return S3Options{
		Listen: os.Getenv(envS3Listen), DataDir: os.Getenv(envS3Data),
		AccessKey: os.Getenv(envS3AccessKey), SecretKey: os.Getenv(envS3SecretKey),
	}
}

// RunS3 serves S3 from files below DataDir until ctx ends. The gateway changes the working directory of the process and is
// allowed once a process, so give it one of its own: see StartS3.
func RunS3(ctx context.Context, o S3Options) error {
	if !filepath.IsAbs(o.DataDir) {
		return fmt.Errorf("S3 service: the data directory %q is not an absolute path", o.DataDir)
	}
	backend, err := newBackend(o.DataDir)
	if err != nil {
		return fmt.Errorf("S3 service: %w", err)
	}
	err = embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
		RootUserAccess: o.AccessKey, RootUserSecret: o.SecretKey, Ports: []string{o.Listen},
		MaxConnections: 4096, MaxRequests: 1024, MultipartMaxParts: 10_000,
		Quiet: true, KeepAlive: true, HealthPath: healthPath,
	})
	if err != nil {
		return fmt.Errorf("S3 service on %s: %w", o.Listen, err)
	}
	return nil
}

// newBackend keeps the metadata of objects in extended attributes, or in a directory where the file system has none.
func newBackend(dataDir string) (*posix.Posix, error) {
	objects, sidecar := filepath.Join(dataDir, "objects"), filepath.Join(dataDir, "metadata")
	if err := os.MkdirAll(objects, 0o700); err != nil {
		return nil, err
	}
	opts := posix.PosixOpts{CopyObjectThreshold: awsCopyMost}
	if _, err := os.Stat(sidecar); os.IsNotExist(err) && hasXattrs(objects) {
		return posix.New(objects, meta.XattrMeta{}, opts)
	}
	if err := os.MkdirAll(sidecar, 0o700); err != nil {
		return nil, err
	}
	store, err := meta.NewSideCar(sidecar)
	if err != nil {
		return nil, err
	}
	opts.SideCarDir = sidecar
	return posix.New(objects, store, opts)
}

// hasXattrs tries to write an attribute: some file systems can be asked for attributes and still keep none.
func hasXattrs(dir string) bool {
	probe, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(probe.Name()) }()
	defer func() { _ = probe.Close() }()
	return meta.XattrMeta{}.StoreAttribute(probe, "", "", "probe", []byte("1")) == nil
}
