package kserve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
	"github.com/swapgate/swapgate/pkg/traffic/kube/kubetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var canary = swap.Weights{Baseline: 95, Candidate: 5}

// objectOf is an object of a kind with a given specification and status.
func objectOf(t *testing.T, ref kube.Ref, spec, status string) kube.Object {
	t.Helper()
	o, err := kube.Decode(ref, fmt.Appendf(nil, `{"metadata":{"name":%q,"generation":3,"resourceVersion":"7"},"spec":%s,"status":%s}`,
		ref.Name, spec, status))
	require.NoError(t, err)
	return o
}

// patchOf is the one patch of a plan, or null.
func patchOf(t *testing.T, changes []kube.Change) string {
	t.Helper()
	var ops []kube.Op
	for _, c := range changes {
		ops = append(ops, c.Ops...)
	}
	got, err := json.Marshal(ops)
	require.NoError(t, err)
	return string(got)
}

func ready(kinds ...string) []any {
	var out []any
	for _, kind := range kinds {
		out = append(out, kubetest.Object{"type": kind, "status": "True"})
	}
	return out
}

var (
	revisionsAt = swap.InferenceService{Namespace: "prod", Name: "chat", Baseline: "chat-predictor-00001", Candidate: "chat-predictor-00002"}
	canaryAt    = swap.InferenceService{Namespace: "prod", Name: "chat", Baseline: "blue", Candidate: "green"}
	groupAt     = swap.LLMInferenceService{Namespace: "prod", Baseline: "chat-blue", Candidate: "chat-green"}
)

// knative is what KServe makes of canaryTrafficPercent: the share goes to the latest revision and the rest to the one that last had
// 100 %. It remembers the latter, and the one before, from one reconciliation to the next.
type knative struct{ rolledOut, before string }

func (k *knative) reconcile(o kubetest.Object, _ []kubetest.Object) kubetest.Object {
	latest := revisionsAt.Candidate
	percent := o["spec"].(kubetest.Object)["predictor"].(kubetest.Object)["canaryTrafficPercent"].(float64)
	switch {
	case percent == 100 && k.rolledOut != latest:
		k.before, k.rolledOut = k.rolledOut, latest
	case percent < 100 && k.rolledOut == latest && k.before != "":
		// KServe notices a rollback of what is rolled out, and goes back to the one before.
		k.rolledOut = k.before
	}
	return kubetest.Object{
		"observedGeneration": 1, "deploymentMode": "Knative",
		"conditions": ready("PredictorReady", "Ready"),
		"components": kubetest.Object{"predictor": kubetest.Object{
			"latestCreatedRevision": latest, "latestReadyRevision": latest,
			"latestRolledoutRevision": k.rolledOut, "previousRolledoutRevision": k.before,
			"traffic": []any{
				kubetest.Object{"latestRevision": true, "percent": percent, "revisionName": latest, "tag": "latest"},
				kubetest.Object{"latestRevision": false, "percent": 100 - percent, "revisionName": k.rolledOut, "tag": "prev"},
			},
		}},
	}
}

func TestRevisionsConform(t *testing.T) {
	kubetest.Conform(t, kubetest.Fixture{
		Kind: NewInferenceService(revisionsAt), Files: []string{"testdata/knative.yaml"},
		Schema: "testdata/inferenceservice.schema.json",
		Accept: (&knative{rolledOut: revisionsAt.Baseline}).reconcile,
		Stale: func(status kubetest.Object) {
			list := status["components"].(kubetest.Object)["predictor"].(kubetest.Object)["traffic"].([]any)
			for i, percent := range []float64{40, 60} {
				list[i].(kubetest.Object)["percent"] = percent
			}
		},
		Intrude: func(spec kubetest.Object) { spec["predictor"].(kubetest.Object)["canaryTrafficPercent"] = 30.0 },
	})
}

func TestARolledOutRevisionIsRolledBackWithKServe(t *testing.T) {
	k := &knative{rolledOut: revisionsAt.Baseline}
	s := &kubetest.Server{Reconcile: k.reconcile}
	f := kubetest.Fixture{
		Kind: NewInferenceService(revisionsAt), Files: []string{"testdata/knative.yaml"}, Schema: "testdata/inferenceservice.schema.json",
	}
	c, _ := f.Open(t, s)
	_, err := c.Apply(t.Context(), swap.Weights{Candidate: 100})
	require.NoError(t, err)
	require.Equal(t, revisionsAt.Candidate, k.rolledOut)
	got, err := c.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, got.Weights)

	// A KServe that forgot the baseline goes on giving the candidate everything, whatever the percentage says.
	_, err = c.Apply(t.Context(), swap.Weights{Candidate: 100})
	require.NoError(t, err)
	k.before = ""
	got, err = c.Apply(t.Context(), swap.AllBaseline)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "canaryTrafficPercent is 0, and KServe gives revision chat-predictor-00002 100 %")
	require.Equal(t, swap.Weights{Candidate: 100}, got.Weights)
}

func TestRevisionsPlan(t *testing.T) {
	const set5 = `[{"op":"add","path":"/spec/predictor/canaryTrafficPercent","value":5}]`
	status := func(created, readyRev, rolled string, candidate int) string {
		return fmt.Sprintf(`{"conditions":[{"type":"PredictorReady","status":"True"}],"components":{"predictor":{"latestCreatedRevision":%q,
			"latestReadyRevision":%q,"latestRolledoutRevision":%q,"traffic":[{"revisionName":"chat-predictor-00002","percent":%d},
			{"revisionName":"chat-predictor-00001","percent":%d}]}}}`, created, readyRev, rolled, candidate, 100-candidate)
	}
	const one, two, three = "chat-predictor-00001", "chat-predictor-00002", "chat-predictor-00003"
	for name, tc := range map[string]struct {
		percent, status string
		want            swap.Weights
		patch, says     string
	}{
		"first step":                     {`0`, status(two, two, one, 0), canary, set5, ""},
		"nothing to do":                  {`5`, status(two, two, one, 5), canary, `null`, ""},
		"another revision is the latest": {`0`, status(three, three, one, 0), canary, "", "is chat-predictor-00003, not chat-predictor-00002"},
		"the candidate is not ready":     {`0`, status(two, one, one, 0), canary, "", "is not ready"},
		"the rest would go elsewhere":    {`0`, status(two, two, "chat-predictor-00000", 0), canary, "", "is chat-predictor-00000"},
		"less is never refused": {
			`50`, status(three, three, one, 50), swap.AllBaseline,
			`[{"op":"add","path":"/spec/predictor/canaryTrafficPercent","value":0}]`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := NewInferenceService(revisionsAt)
			o := objectOf(t, k.Refs()[0], `{"predictor":{"canaryTrafficPercent":`+tc.percent+`}}`, tc.status)
			changes, err := k.Plan([]kube.Object{o}, tc.want)
			if tc.says != "" {
				require.ErrorIs(t, err, traffic.ErrRefused)
				require.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, tc.patch, patchOf(t, changes))
		})
	}
}

func TestRevisionsReadWhatKnativeRoutes(t *testing.T) {
	traffics := func(list string) string {
		return `{"conditions":[{"type":"PredictorReady","status":"True"}],"components":{"predictor":{"traffic":` + list + `}}}`
	}
	for name, tc := range map[string]struct {
		spec, status string
		want         swap.Weights
		pending      string
	}{
		"no percentage, all on the latest": {
			`{"predictor":{}}`,
			traffics(`[{"revisionName":"chat-predictor-00002","percent":100}]`),
			swap.Weights{Candidate: 100},
			"",
		},
		"no candidate yet": {
			`{"predictor":{}}`,
			traffics(`[{"revisionName":"chat-predictor-00001","percent":100}]`), swap.AllBaseline, "",
		},
		"a third revision has the share": {
			`{"predictor":{"canaryTrafficPercent":5}}`,
			traffics(`[{"revisionName":"chat-predictor-00003","percent":5},{"revisionName":"chat-predictor-00001","percent":95}]`),
			canary, "5 % of traffic goes to revisions that are neither",
		},
		"tags count together": {
			`{"predictor":{"canaryTrafficPercent":5}}`,
			traffics(`[{"revisionName":"chat-predictor-00002","percent":5},{"revisionName":"chat-predictor-00002","tag":"x"},
				{"revisionName":"chat-predictor-00001","percent":90},{"revisionName":"chat-predictor-00001","percent":5,"tag":"prev"}]`),
			canary, "",
		},
		"not Knative": {`{"predictor":{}}`, `{}`, swap.Weights{Candidate: 100}, "no revision with traffic"},
		"not ready": {`{"predictor":{"canaryTrafficPercent":5}}`, strings.Replace(
			traffics(`[{"revisionName":"chat-predictor-00002","percent":5},{"revisionName":"chat-predictor-00001","percent":95}]`),
			`"True"`, `"False","reason":"RevisionMissing"`, 1), canary, "PredictorReady is False: RevisionMissing"},
	} {
		t.Run(name, func(t *testing.T) {
			k := NewInferenceService(revisionsAt)
			got, err := k.Read([]kube.Object{objectOf(t, k.Refs()[0], tc.spec, tc.status)})
			require.NoError(t, err)
			require.Equal(t, tc.want, got.Weights)
			require.Contains(t, got.Pending, tc.pending)
			require.Equal(t, tc.pending == "", got.Pending == "", got.Pending)
		})
	}
}

func TestRevisionsNeedTheNameOfTheBaseline(t *testing.T) {
	at := revisionsAt
	at.Baseline = ""
	k := NewInferenceService(at)
	_, err := k.Read([]kube.Object{objectOf(t, k.Refs()[0], `{"predictor":{"canaryTrafficPercent":0}}`, `{}`)})
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "name the revision of the baseline")
}

// standard is the status of an InferenceService in mode Standard whose canaries are ready.
func standard(o kubetest.Object, _ []kubetest.Object) kubetest.Object {
	entry := o["spec"].(kubetest.Object)["canary"].([]any)[0].(kubetest.Object)
	return kubetest.Object{
		"deploymentMode": "Standard", "conditions": ready("PredictorReady", "IngressReady"),
		"canaryStatuses": []any{kubetest.Object{"name": "green", "ready": true, "trafficPercent": entry["trafficPercent"]}},
	}
}

func TestCanariesConform(t *testing.T) {
	kubetest.Conform(t, kubetest.Fixture{
		Kind: NewInferenceService(canaryAt), Files: []string{"testdata/standard.yaml"},
		Schema: "testdata/inferenceservice.schema.json", Accept: standard,
		Stale: func(status kubetest.Object) {
			status["canaryStatuses"].([]any)[0].(kubetest.Object)["trafficPercent"] = 77
		},
		Intrude: func(spec kubetest.Object) { spec["canary"].([]any)[0].(kubetest.Object)["trafficPercent"] = 30.0 },
	})
}

func TestCanariesPlan(t *testing.T) {
	const (
		okStatus = `{"canaryStatuses":[{"name":"green","ready":true,"trafficPercent":0}],
			"conditions":[{"type":"PredictorReady","status":"True"},{"type":"IngressReady","status":"True"}]}`
		set = `[{"op":"test","path":"/spec/canary/%d/predictor/name","value":"green"},
			{"op":"add","path":"/spec/canary/%d/trafficPercent","value":%d}]`
	)
	spec := func(baseline, canaries string) string {
		return `{"predictor":{"name":"` + baseline + `"},"canary":` + canaries + `}`
	}
	const green = `{"predictor":{"name":"green"},"trafficPercent":0}`
	for name, tc := range map[string]struct {
		spec, status string
		want         swap.Weights
		patch, says  string
	}{
		"first step":        {spec("blue", `[`+green+`]`), okStatus, canary, fmt.Sprintf(set, 0, 0, 5), ""},
		"beside a dark one": {spec("blue", `[{"predictor":{"name":"red"}},`+green+`]`), okStatus, canary, fmt.Sprintf(set, 1, 1, 5), ""},
		"nothing to do":     {spec("blue", `[`+green+`]`), okStatus, swap.AllBaseline, `null`, ""},
		"beside another one": {
			spec("blue", `[{"predictor":{"name":"red"},"trafficPercent":9},`+green+`]`), okStatus, canary, "", "other canaries",
		},
		"not ready":        {spec("blue", `[`+green+`]`), strings.Replace(okStatus, "true", "false", 1), canary, "", "is not ready"},
		"another baseline": {spec("old", `[`+green+`]`), okStatus, canary, "", `its predictor is "old", not the baseline "blue"`},
		"no such canary":   {spec("blue", `[{"predictor":{"name":"red"}}]`), okStatus, canary, "", "no canary green"},
		"less from one that died": {
			spec("blue", `[{"predictor":{"name":"green"},"trafficPercent":50}]`), `{}`, swap.AllBaseline,
			fmt.Sprintf(set, 0, 0, 0), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := NewInferenceService(canaryAt)
			changes, err := k.Plan([]kube.Object{objectOf(t, k.Refs()[0], tc.spec, tc.status)}, tc.want)
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, tc.patch, patchOf(t, changes))
		})
	}
}

func TestCanariesRead(t *testing.T) {
	k := NewInferenceService(canaryAt)
	dead := `{"canaryStatuses":[{"name":"green","ready":false,"trafficPercent":%d}]}`
	spec := `{"predictor":{"name":"blue"},"canary":[{"predictor":{"name":"green"},"trafficPercent":%d}]}`
	got, err := k.Read([]kube.Object{objectOf(t, k.Refs()[0], fmt.Sprintf(spec, 5), fmt.Sprintf(dead, 5))})
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: canary, Pending: "canary green is not ready and gets no traffic"}, got)
	got, err = k.Read([]kube.Object{objectOf(t, k.Refs()[0], fmt.Sprintf(spec, 0), fmt.Sprintf(dead, 0))})
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: swap.AllBaseline}, got, "a dead candidate does not keep a rollback from being done")
	others := `{"predictor":{"name":"blue"},"canary":[{"predictor":{"name":"green"},"trafficPercent":5},
		{"predictor":{"name":"red"},"trafficPercent":9}]}`
	got, err = k.Read([]kube.Object{objectOf(t, k.Refs()[0], others, `{}`)})
	require.NoError(t, err)
	require.Equal(t, "9 % of traffic goes to other canaries", got.Pending)
}

func FuzzRead(f *testing.F) {
	f.Add(`{"metadata":{"name":"chat","resourceVersion":"1"},"spec":{"predictor":{"canaryTrafficPercent":5}},"status":{"components":{
		"predictor":{"latestReadyRevision":"b","traffic":[{"revisionName":"b","percent":5},{"revisionName":"a","percent":95}]}}}}`)
	f.Add(`{"metadata":{"name":"chat","resourceVersion":"1"},"spec":{"predictor":{"name":"blue"},"canary":[{"predictor":{"name":"green"},
		"trafficPercent":5}]},"status":{"canaryStatuses":[{"name":"green","ready":true,"trafficPercent":5}]}}`)
	f.Add(`{"metadata":{"name":"chat","resourceVersion":"1"},"spec":{"router":{"route":{"group":"g","weight":5}}},"status":{"router":{
		"group":{"name":"g","members":[{"name":"chat","weight":5,"stopped":true}]}}}}`)
	both := NewLLMInferenceService(swap.LLMInferenceService{Namespace: "prod", Baseline: "chat", Candidate: "chat"})
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range []kube.Kind{NewInferenceService(revisionsAt), NewInferenceService(canaryAt), both} {
			var objects []kube.Object
			for _, ref := range k.Refs() {
				o, err := kube.Decode(ref, []byte(text))
				if err != nil {
					return
				}
				objects = append(objects, o)
			}
			if s, err := k.Read(objects); err == nil && s.Pending == "" {
				require.Equal(t, 100, s.Baseline+s.Candidate)
				require.True(t, s.Baseline >= 0 && s.Candidate >= 0)
			}
			_, _ = k.Plan(objects, swap.AllBaseline)
		}
	})
}
