package local_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/local"
)

const patience = 20 * time.Second

func ignoreTermination() {
	signal.Ignore(syscall.SIGTERM)
	fmt.Println("ready")
	select {} // only a kill ends it
}

// startStubborn starts a child that ignores SIGTERM, and waits until it does.
func startStubborn(t *testing.T) *local.Child {
	t.Helper()
	log := filepath.Join(t.TempDir(), "child.log")
	child, err := local.Start(role(t, roleStubborn, log))
	require.NoError(t, err)
	awaitText(t, log, "ready")
	return child
}

func awaitText(t *testing.T, path, text string) string {
	t.Helper()
	var content []byte
	require.Eventually(t, func() bool {
		content, _ = os.ReadFile(path)
		return strings.Contains(string(content), text) && strings.HasSuffix(string(content), "\n")
	}, patience, 5*time.Millisecond)
	return string(content)
}

func TestAStubbornChildIsKilled(t *testing.T) {
	child := startStubborn(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.NoError(t, child.Stop(ctx))
	<-child.Ended()
	require.NoError(t, child.Stop(t.Context()), "stopping again does nothing")
	require.NoError(t, child.Kill())
}

func TestChildrenDieWithTheirParent(t *testing.T) {
	log := filepath.Join(t.TempDir(), "parent.log")
	parent, err := local.Start(role(t, roleParent, log))
	require.NoError(t, err)
	var pid int
	_, err = fmt.Sscanf(awaitText(t, log, "grandchild "), "grandchild %d", &pid)
	require.NoError(t, err)
	awaitText(t, log+".grandchild", "ready")

	require.NoError(t, parent.Kill())
	require.Eventually(t, func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(status), ") Z ") // gone, or not yet reaped by init
	}, patience, 5*time.Millisecond)
}

func TestAMissingExecutableIsReported(t *testing.T) {
	_, err := local.Start(local.Command{Name: "nothing", Path: "/does/not/exist", LogFile: filepath.Join(t.TempDir(), "log")})
	require.ErrorContains(t, err, "start nothing")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAStackStopsInReverse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work", "dir")
	stack, err := local.NewStack(dir)
	require.NoError(t, err)
	require.DirExists(t, stack.Dir())
	var order []string
	for _, name := range []string{"one", "two", "three"} {
		stack.Add(name, func(context.Context) error {
			order = append(order, name)
			if name == "two" {
				return os.ErrPermission
			}
			return nil
		})
	}
	err = stack.Stop(t.Context())
	require.Equal(t, []string{"three", "two", "one"}, order)
	require.ErrorContains(t, err, "stop two")
	require.ErrorIs(t, err, os.ErrPermission)
	require.NoError(t, stack.Stop(t.Context()), "nothing is left")
}
