package control

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/swapgate/swapgate/pkg/swap"
)

func request() swap.Request {
	return swap.Request{
		Spec: swap.Spec{
			Target:    "chat",
			Baseline:  swap.Endpoint{URL: "http://10.0.0.1:8000", Model: "llama-3-8b"},
			Candidate: swap.Endpoint{URL: "http://10.0.0.2:8000", Model: "llama-3.1-8b"},
			Load: swap.Load{
				Block: swap.Duration(10 * time.Second),
				Steps: []swap.Step{{Concurrency: 8, Hold: swap.Duration(2 * time.Minute)}, {Rate: 4.5, Hold: swap.Duration(time.Minute)}},
			},
			Gates:   []swap.Gate{{Metric: swap.MetricTTFT, Stat: swap.StatP99, Margin: 0.1, Unit: swap.Relative}},
			Rollout: &swap.Rollout{Weights: []int{5, 100}, ApproveAt: []int{100}, Route: swap.Route{URL: "http://gw"}},
			Store:   swap.Store{Endpoint: "s3:9000", Bucket: "runs"},
		},
		SpecSHA256:       "abc",
		RequestedBy:      "ada",
		Labels:           map[string]string{"ticket": "OPS-1", "commit": "4f2c"},
		SearchAttributes: true,
	}
}

func TestValidationOptionsLockTheTargetAndNeverTimeOut(t *testing.T) {
	o := validationOptions(request())
	require.Equal(t, "swap-chat", o.ID)
	require.Equal(t, swap.QueueControl, o.TaskQueue)
	require.Equal(t, enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, o.WorkflowIDConflictPolicy)
	require.Equal(t, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, o.WorkflowIDReusePolicy)
	require.True(t, o.WorkflowExecutionErrorWhenAlreadyStarted)
	require.Zero(t, o.WorkflowRunTimeout)
	require.Zero(t, o.WorkflowExecutionTimeout)
	require.Nil(t, o.RetryPolicy)
	require.Equal(t, "llama-3-8b → llama-3.1-8b on chat", o.StaticSummary)
	require.Equal(t, 5, o.TypedSearchAttributes.Size())
	require.Equal(t, "llama-3.1-8b", o.Memo[memoCandidate])
}

func TestValidationOptionsWithoutSearchAttributes(t *testing.T) {
	req := request()
	req.SearchAttributes = false
	require.Zero(t, validationOptions(req).TypedSearchAttributes.Size())
}

func TestSummaryStaysOnOneLine(t *testing.T) {
	req := request()
	req.Spec.Candidate.Model = strings.Repeat("x", 500)
	summary := validationOptions(req).StaticSummary
	require.Len(t, []rune(summary), summaryLimit)
	require.True(t, strings.HasSuffix(summary, "…"))
}

func TestRequestDetails(t *testing.T) {
	require.Equal(t, `| | |
|---|---|
| target | chat |
| baseline | llama-3-8b at http://10.0.0.1:8000 |
| candidate | llama-3.1-8b at http://10.0.0.2:8000 |
| load | concurrency 8 for 2m0s, 4.5 req/s for 1m0s per arm, in blocks of 10s |
| gates | ttft\_p99 within 0.1 relative |
| rollout | 5 % → 100 % (after approval) through http://gw |
| run store | s3:9000 runs/ |
| specification | abc |
| requested by | ada |
| commit | 4f2c |
| ticket | OPS-1 |
`, requestDetails(request()))
}

func TestCellsCannotBreakOutOfTheTable(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":               `a\|b`,
		"a\nb":              "a b",
		"<img src=x>":       "&lt;img src=x&gt;",
		"[x](http://evil)":  `\[x\](http://evil)`,
		"`code` *b* _i_ \\": "\\`code\\` \\*b\\* \\_i\\_ \\\\",
	} {
		require.Equal(t, want, cell(in))
	}
}

func TestRollbackOptions(t *testing.T) {
	o := rollbackOptions(swap.RollbackRequest{Target: "chat", SearchAttributes: true, Snapshot: &swap.ObjectRef{URI: "s3://b/k"}})
	require.Equal(t, "rollback-chat", o.ID)
	require.Contains(t, o.StaticDetails, "| snapshot | s3://b/k |")
	require.Equal(t, 3, o.TypedSearchAttributes.Size())
	require.Contains(t, rollbackOptions(swap.RollbackRequest{Target: "chat"}).StaticDetails, "| snapshot | the newest |")
}
