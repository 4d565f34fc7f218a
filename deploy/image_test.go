package deploy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// workerStopTimeout is the default of swapgate-worker's --stop-timeout. Whoever stops a worker has to wait for longer.
const workerStopTimeout = 60 * time.Second

var pinned = regexp.MustCompile(`^[a-z0-9./-]+:[A-Za-z0-9][A-Za-z0-9._-]*(@sha256:[0-9a-f]{64})?$`)

// requirePinned accepts an image with a tag that means one version.
func requirePinned(t *testing.T, image string) {
	t.Helper()
	require.Regexp(t, pinned, image, "an image has a tag")
	require.NotContains(t, image, ":latest")
}

// stages are the FROM lines of the Dockerfile, each with the instructions of its stage.
func stages(t *testing.T) [][]string {
	t.Helper()
	raw, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "FROM ") {
			out = append(out, nil)
		}
		if len(out) > 0 && line != "" && !strings.HasPrefix(line, "#") {
			out[len(out)-1] = append(out[len(out)-1], line)
		}
	}
	return out
}

func TestImagesOfTheDockerfileArePinned(t *testing.T) {
	all := stages(t)
	require.GreaterOrEqual(t, len(all), 2)
	for _, stage := range all {
		requirePinned(t, strings.Fields(stage[0])[1])
	}
}

func TestImageRunsAsNobody(t *testing.T) {
	all := stages(t)
	last := all[len(all)-1]
	require.Contains(t, last[0], ":nonroot")
	require.Contains(t, last, "USER 65532:65532")
	for _, line := range last {
		require.False(t, strings.HasPrefix(line, "RUN "), "nothing is installed into the final image: %s", line)
	}
}

// TestImageIsBuiltWhereItRuns guards against a program that is linked with a newer C library than the final image has.
func TestImageIsBuiltWhereItRuns(t *testing.T) {
	all := stages(t)
	require.Contains(t, all[0][0], "bookworm")
	require.Contains(t, all[len(all)-1][0], "debian12")
}

func TestImageIsBuiltWithTheGoOfTheModule(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))
	require.NotNil(t, version)
	require.Contains(t, stages(t)[0][0], "golang:"+version[1]+".")
}
