package workflows

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
)

// Runs that were recorded must replay with today's code, or runs in flight would break when workers are deployed.
// CONTRIBUTING.md says how to record a history.
func TestStoredHistoriesReplay(t *testing.T) {
	histories, err := filepath.Glob("testdata/histories/*.json")
	require.NoError(t, err)
	paths := []string{
		"pass", "fail", "inconclusive", "cancel-in-load", "abort-in-rollout", "retry-and-resume", "rollback-swap", "watch-baseline",
		"pass-with-registry", "guard-while-waiting", "slack-thread", "abort-braked-at-once",
	}
	require.GreaterOrEqual(t, len(histories), len(paths))
	for _, p := range paths {
		require.Contains(t, histories, "testdata/histories/"+p+".json")
	}
	for _, h := range histories {
		t.Run(filepath.Base(h), func(t *testing.T) {
			replayer := worker.NewWorkflowReplayer()
			Register(replayer)
			quiet := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(quiet, h))
		})
	}
}
