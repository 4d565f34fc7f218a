package nginx

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

const stat = "12 (nginx: (w) x) S 1 1 1 0 -1 4194624 199 0 0 0 0 0 0 0 20 0 1 0 98765 12 3"

// procOf lays out what is read of /proc.
func procOf(t *testing.T, files map[string]string) processes {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return processes{proc: dir, route: swap.NGINX{PIDFile: filepath.Join(dir, "nginx.pid"), Check: "check", Reload: "reload"}}
}

func TestWorkers(t *testing.T) {
	p := procOf(t, map[string]string{
		"nginx.pid": "9\n", "9/task/9/children": "12 13 14 15 ",
		"12/cmdline": "nginx: worker process\x00", "12/stat": stat,
		"13/cmdline": "nginx: worker process is shutting down\x00", "13/stat": strings.Replace(stat, "98765", "4", 1),
		"14/cmdline": "nginx: cache manager process\x00",
		// 15 ended meanwhile.
	})
	got, err := p.workers()
	require.NoError(t, err)
	require.Equal(t, []worker{{pid: 12, started: 98765}, {pid: 13, started: 4, leaving: true}}, got)
}

func TestProcessesThatCannotBeSeen(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no pid file":      {},
		"no pid":           {"nginx.pid": "x"},
		"not running":      {"nginx.pid": "9"},
		"unreadable start": {"nginx.pid": "9", "9/task/9/children": "12", "12/cmdline": "nginx: worker process", "12/stat": "12 (nginx) S"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := procOf(t, files).workers()
			require.ErrorIs(t, err, traffic.ErrUnreachable)
		})
	}
}

func TestCommandsOfTheWorker(t *testing.T) {
	p := procOf(t, nil)
	var names []string
	p.run = func(ctx context.Context, name string) error {
		names = append(names, name)
		return exec.CommandContext(ctx, "false").Run()
	}
	err := p.check(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused, "a configuration that is refused stays refused")
	require.ErrorContains(t, err, "exit status 1")
	require.Error(t, p.hangUp(t.Context()))
	require.Equal(t, []string{"check", "reload"}, names)
}

func FuzzStartOf(f *testing.F) {
	f.Add(stat)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = startOf(text) })
}
