package local

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine is a finder on which only the given programs exist.
func machine(environment string, programs ...string) (finder, *bytes.Buffer) {
	var progress bytes.Buffer
	return finder{
		getenv: func(name string) string {
			if name == EnvTemporalCLI {
				return environment
			}
			return ""
		},
		lookPath: func(name string) (string, error) {
			if slices.Contains(programs, name) {
				return "/found/" + name, nil
			}
			return "", exec.ErrNotFound
		},
		installed: []string{"go-bin", "sdk-download", "own-cache"},
		download:  func(context.Context) (string, error) { return "", errors.New("the network is closed") },
		build:     func(context.Context) (string, error) { return "/built/temporal", nil },
		progress:  &progress,
	}, &progress
}

func TestWhereTheServerIsLookedFor(t *testing.T) {
	everything := []string{"named", "temporal", "go-bin", "sdk-download", "own-cache"}
	for i, name := range everything[1:] {
		f, progress := machine("", everything[i+1:]...)
		found, err := f.find(t.Context())
		require.NoError(t, err)
		require.Equal(t, "/found/"+name, found)
		require.Empty(t, progress.String(), "nothing slow happens")
	}
	f, _ := machine("named", everything...)
	found, err := f.find(t.Context())
	require.NoError(t, err)
	require.Equal(t, "/found/named", found)
}

func TestANamedServerMustBeThere(t *testing.T) {
	f, _ := machine("elsewhere", "temporal")
	_, err := f.find(t.Context())
	require.ErrorIs(t, err, ErrNoTemporal)
	require.ErrorContains(t, err, EnvTemporalCLI+"=elsewhere")
}

func TestTheServerIsDownloadedOrBuilt(t *testing.T) {
	f, progress := machine("")
	f.download = func(context.Context) (string, error) { return "/downloaded/temporal", nil }
	found, err := f.find(t.Context())
	require.NoError(t, err)
	require.Equal(t, "/downloaded/temporal", found)
	require.Contains(t, progress.String(), "Downloading")

	f, progress = machine("")
	found, err = f.find(t.Context())
	require.NoError(t, err)
	require.Equal(t, "/built/temporal", found)
	require.Contains(t, progress.String(), "about 5 minutes, once")

	f, _ = machine("")
	f.build = func(context.Context) (string, error) { return "", errors.New("no Go tools") }
	_, err = f.find(t.Context())
	require.ErrorIs(t, err, ErrNoTemporal)
	for _, part := range []string{"the network is closed", "no Go tools", EnvTemporalCLI} {
		require.ErrorContains(t, err, part)
	}
}
