package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDemosOfTheSameSecondGetFoldersOfTheirOwn(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "not", "there", "yet")
	for _, want := range []string{"20261130T190000Z", "20261130T190000Z-2", "20261130T190000Z-3"} {
		got, err := newFolder(parent, "20261130T190000Z")
		require.NoError(t, err)
		require.Equal(t, filepath.Join(parent, want), got)
		require.DirExists(t, got)
	}
}
