package host

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/traffic/command"
)

func TestCommandsAreReadAtTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "commands.yaml")
	require.NoError(t, os.WriteFile(file, []byte("commands: {f5: {argv: [/usr/bin/f5]}}"), 0o600))
	o, err := ParseOptions([]string{"--commands", file}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, command.Programs{"f5": {Argv: []string{"/usr/bin/f5"}}}, o.Commands)

	require.NoError(t, os.WriteFile(file, []byte("commands: {f5: {argv: [f5]}}"), 0o600))
	_, err = ParseOptions([]string{"--commands", file, "--role", "cook"}, io.Discard)
	require.ErrorContains(t, err, "--commands: "+file)
	require.ErrorContains(t, err, "--role", "every problem is said at once")
	o, err = ParseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Empty(t, o.Commands)
}
