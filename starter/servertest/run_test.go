package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// start begins a validation of the bench's specification.
func (b *bench) start() client.WorkflowRun {
	b.t.Helper()
	req := swap.Request{Spec: b.spec, SpecSHA256: config.SHA256(b.spec), RequestedBy: "test", SearchAttributes: true}
	run, err := b.client.ExecuteWorkflow(b.t.Context(), client.StartWorkflowOptions{
		ID: swap.ValidateWorkflowID(b.spec.Target), TaskQueue: swap.QueueControl, WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, swap.WorkflowValidateSwap, req)
	require.NoError(b.t, err)
	return run
}

// verdict waits for the result of a run.
func (b *bench) verdict(run client.WorkflowRun) (swap.Verdict, error) {
	b.t.Helper()
	ctx, done := context.WithTimeout(b.t.Context(), patience)
	defer done()
	var v swap.Verdict
	err := run.Get(ctx, &v)
	return v, err
}

// await polls until the condition holds. Where it never does, the failure says what became of the run.
func (b *bench) await(what string, holds func() bool) {
	b.t.Helper()
	if !assert.Eventually(b.t, holds, patience, 50*time.Millisecond, what) {
		require.FailNow(b.t, what+" never came", b.outcome())
	}
}

// outcome is the result of the bench's run, or that it has none yet.
func (b *bench) outcome() string {
	ctx, done := context.WithTimeout(b.t.Context(), time.Second)
	defer done()
	var v swap.Verdict
	if err := b.client.GetWorkflow(ctx, swap.ValidateWorkflowID(b.spec.Target), "").Get(ctx, &v); err != nil {
		return "the run has no verdict: " + err.Error()
	}
	return fmt.Sprintf("the run ended: %s: %s", v.Verdict, v.Summary)
}

// awaitBlocks waits until the running load step has driven at least n blocks, as its heartbeat says.
func (b *bench) awaitBlocks(n int) {
	b.t.Helper()
	b.await("a load step under way", func() bool { return b.heartbeat("load-step-").Done >= n })
}

// awaitWindow waits until a rollout window has made requests.
func (b *bench) awaitWindow() {
	b.t.Helper()
	b.await("a rollout window under way", func() bool { return b.heartbeat("window-").Requests >= 5 })
}

// heartbeat is the progress of the pending activity whose id begins with prefix; zero if there is none.
func (b *bench) heartbeat(prefix string) (p swap.Progress) {
	d, err := b.client.DescribeWorkflow(b.t.Context(), swap.ValidateWorkflowID(b.spec.Target), "")
	if err != nil {
		return p
	}
	for _, a := range d.RawResponse.GetPendingActivities() {
		if strings.HasPrefix(a.GetActivityId(), prefix) && a.GetHeartbeatDetails() != nil {
			_ = converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &p)
		}
	}
	return p
}

// update sends an update and returns its answer.
func (b *bench) update(name string) swap.Answer {
	b.t.Helper()
	h, err := b.client.UpdateWorkflow(b.t.Context(), client.UpdateWorkflowOptions{
		WorkflowID: swap.ValidateWorkflowID(b.spec.Target), UpdateName: name,
		Args: []any{swap.ByRequest{By: "test", Reason: "testing"}}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	require.NoError(b.t, err)
	var answer swap.Answer
	require.NoError(b.t, h.Get(b.t.Context(), &answer))
	return answer
}

// weights are what the gateway says, asked outside of swapgate.
func (b *bench) weights() (w swap.Weights) {
	b.t.Helper()
	body := b.http(http.MethodGet, b.models.Route.AdminURL+"/admin/weights", "")
	require.NoError(b.t, json.Unmarshal(body, &w))
	return w
}

func (b *bench) http(method, url, body string) []byte {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, url, strings.NewReader(body))
	require.NoError(b.t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	require.Less(b.t, resp.StatusCode, 300, string(data))
	return data
}

// steps reads every load step back from the store: ReadStep checks hashes, counts and that no record is there twice.
func (b *bench) steps(v swap.Verdict) []swap.StepManifest {
	b.t.Helper()
	store, err := runstore.Open(b.spec.Store)
	require.NoError(b.t, err)
	defer store.Close()
	var manifests []swap.StepManifest
	for _, s := range v.Steps {
		m, records, err := runstore.ReadStep(b.t.Context(), store, s.Manifest)
		require.NoError(b.t, err)
		require.Len(b.t, m.Blocks, 2*b.spec.Load.BlocksPerArm(m.Spec), "every planned block is sealed")
		planned := 0
		for _, block := range m.Blocks {
			require.Equal(b.t, block.Planned, block.Outcomes.Total())
			planned += block.Planned
		}
		require.Len(b.t, records, planned)
		require.Equal(b.t, planned, rawlog.Outcomes(records).Total())
		manifests = append(manifests, m)
	}
	return manifests
}

// identities are the names of the processes that took part; a stored history does not depend on the machine.
var identities = regexp.MustCompile(`("(?:identity|lastWorkerIdentity)":\s*)"[^"]*"`)

// record writes the history of a closed run for the replay tests, where that is asked for.
func (b *bench) record(run client.WorkflowRun, name string) {
	b.t.Helper()
	dir := os.Getenv("SWAPGATE_RECORD_HISTORIES")
	if dir == "" {
		return
	}
	var h history.History
	it := b.client.GetWorkflowHistory(b.t.Context(), run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		event, err := it.Next()
		require.NoError(b.t, err)
		h.Events = append(h.Events, event)
	}
	data, err := protojson.MarshalOptions{Indent: " "}.Marshal(&h)
	require.NoError(b.t, err)
	data = identities.ReplaceAll(data, []byte(`${1}"worker"`))
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".json"), append(data, '\n'), 0o600))
}
