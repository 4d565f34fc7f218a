package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

func openStore(t *testing.T, s3 *local.S3) *runstore.Store {
	t.Helper()
	cfg := s3.Store()
	store, err := runstore.Open(cfg)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

func TestObjectsSurviveACrashOfTheService(t *testing.T) {
	for name, prepare := range map[string]func(dir string) error{
		"metadata in attributes": func(string) error { return nil },
		// A service that once had to keep metadata beside the objects stays with it.
		"metadata beside the objects": func(dir string) error { return os.MkdirAll(filepath.Join(dir, "s3", "metadata"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, dir := t.Context(), t.TempDir()
			require.NoError(t, prepare(dir))
			s3, err := local.StartS3(ctx, localtest.S3Command(dir))
			require.NoError(t, err)
			t.Cleanup(func() { _ = s3.Kill() })
			store := openStore(t, s3)
			require.NoError(t, store.Check(ctx))
			ref, err := store.PutBytes(ctx, "kept", "text/plain", []byte("content"), "text/v1")
			require.NoError(t, err)

			require.NoError(t, s3.Kill())
			_, err = store.GetBytes(ctx, ref)
			require.ErrorIs(t, err, runstore.ErrUnavailable)

			require.NoError(t, s3.Restart(ctx))
			got, err := store.GetBytes(ctx, ref)
			require.NoError(t, err)
			require.Equal(t, "content", string(got))
			_, same, err := store.GetKey(ctx, "kept")
			require.NoError(t, err)
			require.Equal(t, ref, same, "the metadata survives, too")
			require.NoError(t, s3.Stop(ctx))
		})
	}
}

func TestKeysOfTheServiceAreNotReadableByOthers(t *testing.T) {
	cfg := localtest.S3(t)
	for _, ref := range []*swap.SecretRef{cfg.AccessKey, cfg.SecretKey} {
		info, err := os.Stat(ref.File)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

func TestAServiceThatCannotStartSaysWhy(t *testing.T) {
	command := localtest.S3Command(t.TempDir())
	command.Env = []string{envRole + "=" + roleFailing}
	_, err := local.StartS3(t.Context(), command)
	require.ErrorContains(t, err, "cannot go on")
	require.ErrorContains(t, err, "exit status 3")
}

func TestTheServiceWantsAnAbsolutePath(t *testing.T) {
	require.ErrorContains(t, local.RunS3(t.Context(), local.S3Options{DataDir: "relative"}), "absolute")
}
