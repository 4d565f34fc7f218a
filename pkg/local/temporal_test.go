package local_test

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/swap"
)

var silent = log.NewStructuredLogger(slog.New(slog.DiscardHandler))

// start starts a run that nobody works on; it carries every search attribute.
func start(t *testing.T, server *local.Temporal, id string) {
	t.Helper()
	c, err := server.Dial(t.Context(), silent)
	require.NoError(t, err)
	defer c.Close()
	var attributes []temporal.SearchAttributeUpdate
	for _, name := range swap.SearchAttributes {
		attributes = append(attributes, temporal.NewSearchAttributeKeyKeyword(name).ValueSet("some "+name))
	}
	_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: id, TaskQueue: "nobody", TypedSearchAttributes: temporal.NewSearchAttributes(attributes...),
	}, "Waiting")
	require.NoError(t, err)
}

func requireRunning(t *testing.T, server *local.Temporal, id string) {
	t.Helper()
	c, err := server.Dial(t.Context(), silent)
	require.NoError(t, err)
	defer c.Close()
	d, err := c.DescribeWorkflow(t.Context(), id, "")
	require.NoError(t, err)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, d.Status)
	require.Equal(t, len(swap.SearchAttributes), d.TypedSearchAttributes.Size())
}

func TestRunsSurviveACrashOfTheServer(t *testing.T) {
	path, err := local.FindTemporal(t.Context(), io.Discard)
	require.NoError(t, err)
	server, err := local.StartTemporal(t.Context(), local.TemporalCommand{
		Path: path, Dir: t.TempDir(), UI: true, Namespace: "validations",
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Kill() })
	start(t, server, "swap-a")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.UIURL(), http.NoBody)
	require.NoError(t, err)
	page, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, page.StatusCode)
	require.NoError(t, page.Body.Close())

	require.NoError(t, server.Kill())
	require.NoError(t, server.Restart(t.Context()))
	requireRunning(t, server, "swap-a")
	require.NoError(t, server.Stop(t.Context()))
	require.NoError(t, server.Restart(t.Context()))
	requireRunning(t, server, "swap-a")
}

func TestTheSharedServerIsOne(t *testing.T) {
	server := localtest.Temporal(t)
	require.Same(t, server, localtest.Temporal(t))
	require.Empty(t, server.UIURL())
	start(t, server, "swap-shared")
	requireRunning(t, server, "swap-shared")
}

func TestSearchAttributesOfADeployment(t *testing.T) {
	content, err := os.ReadFile("../../deploy/search-attributes.txt")
	require.NoError(t, err)
	var want []string
	for _, name := range swap.SearchAttributes {
		want = append(want, name+" Keyword")
	}
	require.ElementsMatch(t, want, strings.Split(strings.TrimSpace(string(content)), "\n"))
}
