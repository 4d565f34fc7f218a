package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

const (
	// EnvTemporalCLI names a temporal CLI that is used without looking further.
	EnvTemporalCLI = "SWAPGATE_TEMPORAL_CLI"

	temporalCLIPackage = "github.com/temporalio/cli/cmd/temporal"
	// temporalCLIVersion is the newest that `go install` can build; later ones need a replace directive.
	temporalCLIVersion = "v1.5.1"

	downloadWithin = time.Minute
)

// ErrNoTemporal says that no Temporal dev server could be found or made.
var ErrNoTemporal = errors.New("no Temporal dev server")

// finder looks for the temporal CLI; its fields are the machine that it looks at.
type finder struct {
	getenv   func(string) string
	lookPath func(string) (string, error)
	// installed is where the CLI can be without being on the PATH, best first.
	installed []string
	download  func(context.Context) (string, error)
	build     func(context.Context) (string, error)
	progress  io.Writer
}

// FindTemporal returns the path of a temporal CLI: the one that SWAPGATE_TEMPORAL_CLI names, else `temporal` on the PATH, among
// Go's installed programs, in the Temporal SDK's download cache or in swapgate's own cache. Where there is none it is
// downloaded, or else built with the Go tools, which takes about five minutes once. progress gets a line before anything slow.
func FindTemporal(ctx context.Context, progress io.Writer) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w; set %s", ErrNoTemporal, err, EnvTemporalCLI)
	}
	own := filepath.Join(cache, "swapgate", "bin")
	f := finder{
		getenv: os.Getenv, lookPath: exec.LookPath, progress: progress, download: downloadTemporal,
		installed: append(goPrograms(ctx), sdkDownload(), filepath.Join(own, "temporal")),
		build:     func(ctx context.Context) (string, error) { return buildTemporal(ctx, own) },
	}
	return f.find(ctx)
}

func (f finder) find(ctx context.Context) (string, error) {
	if path := f.getenv(EnvTemporalCLI); path != "" {
		found, err := f.lookPath(path)
		if err != nil {
			return "", fmt.Errorf("%w: %s=%s: %w", ErrNoTemporal, EnvTemporalCLI, path, err)
		}
		return found, nil
	}
	for _, candidate := range append([]string{"temporal"}, f.installed...) {
		if found, err := f.lookPath(candidate); err == nil {
			return found, nil
		}
	}
	_, _ = fmt.Fprintln(f.progress, "Downloading the Temporal dev server, once…")
	found, downloadErr := f.download(ctx)
	if downloadErr == nil {
		return found, nil
	}
	_, _ = fmt.Fprintf(f.progress, "No download (%v).\nBuilding the Temporal dev server, about 5 minutes, once…\n", downloadErr)
	found, err := f.build(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: not installed, %w, and %w; install the temporal CLI or set %s",
			ErrNoTemporal, downloadErr, err, EnvTemporalCLI)
	}
	return found, nil
}

// goPrograms is where `go install` puts the CLI; none without Go tools.
func goPrograms(ctx context.Context) []string {
	out, err := exec.CommandContext(ctx, "go", "env", "GOBIN", "GOPATH").Output()
	if err != nil {
		return nil
	}
	bin, gopath, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	if bin == "" {
		bin = filepath.Join(filepath.SplitList(gopath)[0], "bin")
	}
	return []string{filepath.Join(bin, "temporal")}
}

// sdkDownload is where the Temporal SDK's testsuite keeps the CLI that it downloads.
func sdkDownload() string {
	return filepath.Join(os.TempDir(), "temporal-cli-go-sdk-"+temporal.SDKVersion)
}

// downloadTemporal has the SDK download the CLI, which it does only to start a server.
func downloadTemporal(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadWithin)
	defer cancel()
	server, err := testsuite.StartDevServer(ctx, testsuite.DevServerOptions{
		ClientOptions: &client.Options{Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))},
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return "", fmt.Errorf("download: %w", err)
	}
	server.Client().Close()
	_ = server.Stop() // the exit status of an interrupted server says nothing about the download
	return sdkDownload(), nil
}

func buildTemporal(ctx context.Context, dir string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "install", temporalCLIPackage+"@"+temporalCLIVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install %s@%s: %w: %s", temporalCLIPackage, temporalCLIVersion, err, lastLine(out))
	}
	return filepath.Join(dir, "temporal"), nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
