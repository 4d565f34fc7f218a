package kserve

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
	"github.com/swapgate/swapgate/pkg/traffic/kube/kubetest"
)

func routeOf(o kubetest.Object) kubetest.Object {
	return o["spec"].(kubetest.Object)["router"].(kubetest.Object)["route"].(kubetest.Object)
}

// routed is what KServe's controller writes into the status of each member: the weights of all.
func routed(_ kubetest.Object, all []kubetest.Object) kubetest.Object {
	var list []any
	for _, o := range all {
		list = append(list, kubetest.Object{"name": o["metadata"].(kubetest.Object)["name"], "weight": routeOf(o)["weight"]})
	}
	return kubetest.Object{
		"conditions": ready("RouterReady", "Ready"),
		"router":     kubetest.Object{"group": kubetest.Object{"name": "chat", "members": list}},
	}
}

func TestGroupsConform(t *testing.T) {
	kubetest.Conform(t, kubetest.Fixture{
		Kind: NewLLMInferenceService(groupAt), Files: []string{"testdata/llm-blue.yaml", "testdata/llm-green.yaml"},
		Schema: "testdata/llminferenceservice.schema.json", Accept: routed,
		Stale: func(status kubetest.Object) {
			for _, m := range status["router"].(kubetest.Object)["group"].(kubetest.Object)["members"].([]any) {
				m.(kubetest.Object)["weight"] = 77.0
			}
		},
		Intrude: func(spec kubetest.Object) {
			spec["router"].(kubetest.Object)["route"].(kubetest.Object)["weight"] = 30.0
		},
	})
}

// pair is the two members with these weights, and a status that both have.
func pair(t *testing.T, baseline, candidate int, status string) []kube.Object {
	t.Helper()
	refs := NewLLMInferenceService(groupAt).Refs()
	spec := `{"router":{"route":{"group":"chat","weight":%d}}}`
	return []kube.Object{
		objectOf(t, refs[0], fmt.Sprintf(spec, baseline), status), objectOf(t, refs[1], fmt.Sprintf(spec, candidate), status),
	}
}

func groupStatusOf(members string) string {
	return `{"conditions":[{"type":"Ready","status":"True"},{"type":"RouterReady","status":"True"}],
		"router":{"group":{"name":"chat","members":[` + members + `]}}}`
}

func TestGroupsNeverPassThroughNoWeightAtAll(t *testing.T) {
	k := NewLLMInferenceService(groupAt)
	for _, tc := range []struct{ from, to swap.Weights }{
		{swap.Weights{Candidate: 100}, swap.AllBaseline},
		{swap.AllBaseline, swap.Weights{Candidate: 100}},
		{swap.AllBaseline, canary},
		{canary, swap.AllBaseline},
		{swap.Weights{Baseline: 50, Candidate: 50}, canary},
	} {
		status := groupStatusOf("")
		changes, err := k.Plan(pair(t, tc.from.Baseline, tc.from.Candidate, status), tc.to)
		require.NoError(t, err)
		require.Len(t, changes, 2)
		now := map[string]int{"chat-blue": tc.from.Baseline, "chat-green": tc.from.Candidate}
		for _, c := range changes {
			now[c.Object.Ref.Name] = c.Ops[1].Value.(int)
			require.Positive(t, now["chat-blue"]+now["chat-green"])
			share, _ := traffic.SharesOf(swap.PerArm[int64]{Baseline: int64(now["chat-blue"]), Candidate: int64(now["chat-green"])})
			low, high := min(tc.from.Candidate, tc.to.Candidate), max(tc.from.Candidate, tc.to.Candidate)
			require.True(t, low <= share.Candidate && share.Candidate <= high, "%v on the way from %v to %v", share, tc.from, tc.to)
		}
		require.Equal(t, map[string]int{"chat-blue": tc.to.Baseline, "chat-green": tc.to.Candidate}, now)
	}
}

func TestGroupsPlan(t *testing.T) {
	k := NewLLMInferenceService(groupAt)
	changes, err := k.Plan(pair(t, 19, 1, groupStatusOf("")), canary)
	require.NoError(t, err)
	require.Empty(t, changes, "19 to 1 is 95 to 5")
	changes, err = k.Plan(pair(t, 100, 5, groupStatusOf("")), canary)
	require.NoError(t, err)
	require.JSONEq(t, `[{"op":"test","path":"/spec/router/route/group","value":"chat"},
		{"op":"add","path":"/spec/router/route/weight","value":95}]`, patchOf(t, changes))
	_, err = k.Plan(pair(t, 100, 0, `{"conditions":[{"type":"Ready","status":"False","reason":"NoPods"}]}`), canary)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "NoPods")

	refs := k.Refs()
	alone := objectOf(t, refs[0], `{"router":{"route":{}}}`, `{}`)
	_, err = k.Plan([]kube.Object{alone, alone}, canary)
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "in no routing group")
	elsewhere := objectOf(t, refs[1], `{"router":{"route":{"group":"other","weight":0}}}`, `{}`)
	_, err = k.Plan([]kube.Object{pair(t, 1, 1, `{}`)[0], elsewhere}, canary)
	require.ErrorContains(t, err, "routing group other, and the baseline in chat")
}

func TestGroupsRead(t *testing.T) {
	const blue95, green5 = `{"name":"chat-blue","weight":95}`, `{"name":"chat-green","weight":5}`
	for name, tc := range map[string]struct {
		baseline, candidate int
		status, pending     string
	}{
		"routed":        {95, 5, groupStatusOf(blue95 + "," + green5), ""},
		"no group yet":  {95, 5, `{}`, "chat-blue: the status names no routing group"},
		"not yet":       {95, 5, groupStatusOf(`{"name":"chat-blue","weight":100},` + green5), "member chat-blue has weight 100"},
		"stopped":       {95, 5, groupStatusOf(blue95 + `,{"name":"chat-green","weight":5,"stopped":true}`), "stopped: true"},
		"diverged":      {95, 5, groupStatusOf(blue95), "the candidate is not in the group"},
		"a third":       {95, 5, groupStatusOf(blue95 + "," + green5 + `,{"name":"old","weight":1}`), "also sends traffic to old"},
		"a third, off":  {95, 5, groupStatusOf(blue95 + "," + green5 + `,{"name":"old","weight":1,"stopped":true}`), ""},
		"no weights":    {0, 0, groupStatusOf(""), "neither member has any weight"},
		"dead and off":  {100, 0, groupStatusOf(`{"name":"chat-blue","weight":100}`), ""},
		"no router yet": {95, 5, `{"router":{"group":{"members":[` + blue95 + "," + green5 + `]}}}`, "RouterReady is absent"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := NewLLMInferenceService(groupAt).Read(pair(t, tc.baseline, tc.candidate, tc.status))
			require.NoError(t, err)
			require.Equal(t, swap.Weights{Baseline: tc.baseline, Candidate: tc.candidate}, got.Weights)
			require.Contains(t, got.Pending, tc.pending)
			require.Equal(t, tc.pending == "", got.Pending == "", got.Pending)
		})
	}
}
