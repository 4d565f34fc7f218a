package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

var pinnedAction = regexp.MustCompile(`uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

func TestActionsArePinnedByCommit(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "github-actions/swap.yml") {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var workflow map[string]any
		require.NoError(t, yaml.Unmarshal(raw, &workflow), file)
		require.Contains(t, workflow, "jobs", file)
		require.Equal(t, map[string]any{"contents": "read"}, workflow["permissions"], "%s: rights are the smallest", file)
		for line := range strings.Lines(string(raw)) {
			if strings.Contains(line, "uses:") {
				require.Regexp(t, pinnedAction, strings.TrimRight(line, "\n"), file)
			}
		}
	}
}

// TestPipelineKnowsEveryExitCode holds the example to the exit codes of the command.
func TestPipelineKnowsEveryExitCode(t *testing.T) {
	raw, err := os.ReadFile("github-actions/swap.yml")
	require.NoError(t, err)
	for _, code := range []int{0, 1, 2, 3, 64, 69, 70} {
		require.Regexp(t, `(?m)^ +`+strconv.Itoa(code)+`\) `, string(raw))
	}
}
