package httproute

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
	"github.com/swapgate/swapgate/pkg/traffic/kube/kubetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var at = swap.HTTPRoute{Namespace: "prod", Name: "chat", Baseline: "chat-blue", Candidate: "chat-green"}

// accepted is the status that a gateway's controller writes.
func accepted(o kubetest.Object, _ []kubetest.Object) kubetest.Object {
	generation := o["metadata"].(kubetest.Object)["generation"]
	cond := func(kind string) kubetest.Object {
		return kubetest.Object{
			"type": kind, "status": "True", "reason": kind, "message": "", "observedGeneration": generation,
			"lastTransitionTime": "2026-05-01T12:00:00Z",
		}
	}
	return kubetest.Object{"parents": []any{kubetest.Object{
		"parentRef":      kubetest.Object{"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "inference-gateway"},
		"controllerName": "gateway.envoyproxy.io/gatewayclass-controller",
		"conditions":     []any{cond("Accepted"), cond("ResolvedRefs")},
	}}}
}

func conditions(status kubetest.Object) []any {
	return status["parents"].([]any)[0].(kubetest.Object)["conditions"].([]any)
}

func backend(spec kubetest.Object, i int) kubetest.Object {
	return spec["rules"].([]any)[1].(kubetest.Object)["backendRefs"].([]any)[i].(kubetest.Object)
}

func TestConforms(t *testing.T) {
	kubetest.Conform(t, kubetest.Fixture{
		Kind: New(at), Files: []string{"testdata/route.yaml"}, Schema: "testdata/schema.json", Accept: accepted,
		Stale: func(status kubetest.Object) {
			c := conditions(status)[0].(kubetest.Object)
			c["observedGeneration"] = c["observedGeneration"].(float64) - 1
		},
		Intrude: func(spec kubetest.Object) { backend(spec, 0)["weight"], backend(spec, 1)["weight"] = 70.0, 30.0 },
	})
}

// objectOf is a route with these rules, and its status.
func objectOf(t *testing.T, rules, status string) []kube.Object {
	t.Helper()
	text := `{"metadata":{"name":"chat","generation":3,"resourceVersion":"7"},"spec":{"rules":` + rules + `},"status":` + status + `}`
	o, err := kube.Decode(New(at).Refs()[0], []byte(text))
	require.NoError(t, err)
	return []kube.Object{o}
}

const (
	bothArms = `{"name":"chat-blue","weight":95},{"name":"chat-green","weight":5}`
	both     = `[{"backendRefs":[` + bothArms + `]}]`
	twoRules = `[{"backendRefs":[` + bothArms + `]},{"name":"b","backendRefs":[` + bothArms + `]}]`
	ready    = `{"parents":[{"parentRef":{"name":"gw"},"conditions":[
		{"type":"Accepted","status":"True","observedGeneration":3},{"type":"ResolvedRefs","status":"True","observedGeneration":3}]}]}`
)

func TestPlan(t *testing.T) {
	for name, tc := range map[string]struct {
		rules string
		rule  string
		want  swap.Weights
		patch string
		says  string
	}{
		"a rule among others": {
			rules: `[{"backendRefs":[{"name":"docs"}]},{"backendRefs":[{"name":"chat-green","weight":5},{"name":"chat-blue","weight":95}]}]`,
			want:  swap.Weights{Baseline: 80, Candidate: 20},
			patch: `[{"op":"test","path":"/spec/rules/1/backendRefs/1/name","value":"chat-blue"},
				{"op":"test","path":"/spec/rules/1/backendRefs/0/name","value":"chat-green"},
				{"op":"add","path":"/spec/rules/1/backendRefs/1/weight","value":80},
				{"op":"add","path":"/spec/rules/1/backendRefs/0/weight","value":20}]`,
		},
		"nothing to do": {rules: both, want: canary, patch: `null`},
		"relative weights that are the same": {
			rules: `[{"backendRefs":[{"name":"chat-blue"},{"name":"chat-green","weight":0}]}]`, want: swap.AllBaseline, patch: `null`,
		},
		"nearly the same is not the same": {
			rules: `[{"backendRefs":[{"name":"chat-blue","weight":100},{"name":"chat-green","weight":5}]}]`,
			want:  swap.Weights{Baseline: 95, Candidate: 5},
			patch: `[{"op":"test","path":"/spec/rules/0/backendRefs/0/name","value":"chat-blue"},
				{"op":"test","path":"/spec/rules/0/backendRefs/1/name","value":"chat-green"},
				{"op":"add","path":"/spec/rules/0/backendRefs/0/weight","value":95},
				{"op":"add","path":"/spec/rules/0/backendRefs/1/weight","value":5}]`,
		},
		"a third backend forbids more": {
			rules: `[{"backendRefs":[` + bothArms + `,{"name":"old","weight":10}]}]`, want: swap.Weights{Baseline: 80, Candidate: 20},
			says: "also sends traffic to old",
		},
		"a third backend does not forbid less": {
			rules: `[{"backendRefs":[` + bothArms + `,{"name":"old","weight":10}]}]`, want: swap.AllBaseline,
			patch: `[{"op":"test","path":"/spec/rules/0/backendRefs/0/name","value":"chat-blue"},
				{"op":"test","path":"/spec/rules/0/backendRefs/1/name","value":"chat-green"},
				{"op":"add","path":"/spec/rules/0/backendRefs/0/weight","value":100},
				{"op":"add","path":"/spec/rules/0/backendRefs/1/weight","value":0}]`,
		},
		"two rules with both":    {rules: twoRules, says: "choose one by rule"},
		"two rules, one chosen":  {rules: twoRules, rule: "b", want: canary, patch: `null`},
		"chosen by its position": {rules: twoRules, rule: "1", want: canary, patch: `null`},
		"no such rule":           {rules: both, rule: "x", says: `no rule "x"`},
		"no candidate":           {rules: `[{"backendRefs":[{"name":"chat-blue"}]}]`, says: "add the candidate with weight 0"},
		"an arm named twice":     {rules: `[{"backendRefs":[` + bothArms + `,{"name":"chat-blue"}]}]`, says: "twice"},
		"a negative weight":      {rules: `[{"backendRefs":[{"name":"chat-blue","weight":-1},{"name":"chat-green"}]}]`, says: "weight -1"},
		"no rules":               {rules: `[]`, says: "no rule names both"},
		"another form":           {rules: `"none"`, says: "spec.rules must not be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			where := at
			where.Rule = tc.rule
			changes, err := New(where).Plan(objectOf(t, tc.rules, ready), tc.want)
			if tc.says != "" {
				require.ErrorIs(t, err, traffic.ErrRefused)
				require.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			var ops []kube.Op
			for _, c := range changes {
				ops = append(ops, c.Ops...)
			}
			got, err := json.Marshal(ops)
			require.NoError(t, err)
			require.JSONEq(t, tc.patch, string(got))
		})
	}
}

var canary = swap.Weights{Baseline: 95, Candidate: 5}

func TestABackendThatIsGoneForbidsMoreAndNotLess(t *testing.T) {
	const gone = `{"parents":[{"parentRef":{"name":"gw"},"conditions":[
		{"type":"Accepted","status":"True","observedGeneration":3},
		{"type":"ResolvedRefs","status":"False","reason":"BackendNotFound","message":"no chat-green","observedGeneration":3}]}]}`
	off := objectOf(t, `[{"backendRefs":[{"name":"chat-blue"},{"name":"chat-green","weight":0}]}]`, gone)
	state, err := New(at).Read(off)
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: swap.AllBaseline}, state, "no traffic can miss it")
	_, err = New(at).Plan(off, canary)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "no chat-green")
	changes, err := New(at).Plan(objectOf(t, `[{"backendRefs":[`+bothArms+`]}]`, gone), swap.AllBaseline)
	require.NoError(t, err)
	require.Len(t, changes, 1)
}

func TestReadSaysWhatIsPending(t *testing.T) {
	for name, tc := range map[string]struct{ rules, status, pending string }{
		"ready":      {both, ready, ""},
		"no gateway": {both, `{}`, "no gateway has taken up the route"},
		"an old generation": {
			both, `{"parents":[{"parentRef":{"name":"gw"},"conditions":[
			{"type":"Accepted","status":"True","observedGeneration":2}]}]}`,
			"gateway gw: it has seen generation 2 of the route, which is at 3",
		},
		"a backend that is missing": {
			both, `{"parents":[{"parentRef":{"name":"gw"},"conditions":[
			{"type":"Accepted","status":"True","observedGeneration":3},
			{"type":"ResolvedRefs","status":"False","reason":"BackendNotFound","message":"no chat-green","observedGeneration":3}]}]}`,
			"gateway gw: ResolvedRefs is False: BackendNotFound: no chat-green",
		},
		"a condition that is missing": {both, `{"parents":[{"parentRef":{"name":"gw"},"conditions":[
			{"type":"Accepted","status":"True","observedGeneration":3}]}]}`, "gateway gw: it does not report ResolvedRefs"},
		"one gateway of two": {both, `{"parents":[{"parentRef":{"name":"a"},"conditions":[
			{"type":"Accepted","status":"True","observedGeneration":3},{"type":"ResolvedRefs","status":"True","observedGeneration":3}]},
			{"parentRef":{"name":"b"},"conditions":[]}]}`, "gateway b: it does not report Accepted"},
		"a third backend": {
			`[{"backendRefs":[` + bothArms + `,{"name":"old"}]}]`, ready, "rule 0 also sends traffic to old, which is neither arm",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New(at).Read(objectOf(t, tc.rules, tc.status))
			require.NoError(t, err)
			require.Equal(t, traffic.State{Weights: canary, Pending: tc.pending}, got)
		})
	}
	got, err := New(at).Read(objectOf(t, `[{"backendRefs":[{"name":"chat-blue","weight":0},{"name":"chat-green","weight":0}]}]`, ready))
	require.NoError(t, err)
	require.Equal(t, traffic.State{Pending: "rule 0 gives neither arm any traffic"}, got)
}

func FuzzRead(f *testing.F) {
	f.Add(`{"metadata":{"name":"chat","generation":3,"resourceVersion":"7"},"spec":{"rules":` + both + `},"status":` + ready + `}`)
	f.Fuzz(func(t *testing.T, text string) {
		o, err := kube.Decode(New(at).Refs()[0], []byte(text))
		if err != nil {
			return
		}
		s, err := New(at).Read([]kube.Object{o})
		if err != nil {
			return
		}
		require.Contains(t, []int{0, 100}, s.Baseline+s.Candidate)
		_, _ = New(at).Plan([]kube.Object{o}, swap.AllBaseline)
	})
}
