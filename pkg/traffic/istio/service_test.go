package istio

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
	"github.com/swapgate/swapgate/pkg/traffic/kube/kubetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const host = "chat.prod.svc.cluster.local"

var (
	at = swap.VirtualService{
		Namespace: "prod", Name: "chat",
		Baseline: swap.Destination{Host: host, Subset: "blue"}, Candidate: swap.Destination{Host: host, Subset: "green"},
	}
	hosts = swap.VirtualService{
		Namespace: "prod", Name: "chat", Rule: "completions",
		Baseline: swap.Destination{Host: "blue"}, Candidate: swap.Destination{Host: "green"},
	}
	canary = swap.Weights{Baseline: 95, Candidate: 5}
)

func destinationIn(spec kubetest.Object, i int) kubetest.Object {
	return spec["http"].([]any)[1].(kubetest.Object)["route"].([]any)[i].(kubetest.Object)
}

func TestConforms(t *testing.T) {
	observed := func(o kubetest.Object, _ []kubetest.Object) kubetest.Object {
		return kubetest.Object{"observedGeneration": fmt.Sprint(o["metadata"].(kubetest.Object)["generation"])}
	}
	silent := func(kubetest.Object, []kubetest.Object) kubetest.Object { return nil }
	f := kubetest.Fixture{
		Kind: New(at), Files: []string{"testdata/service.yaml"}, Schema: "testdata/schema.json", Accept: silent,
		Intrude: func(spec kubetest.Object) {
			destinationIn(spec, 0)["weight"], destinationIn(spec, 1)["weight"] = 70.0, 30.0
		},
	}
	t.Run("without a status", func(t *testing.T) { kubetest.Conform(t, f) })
	f.Accept, f.Stale = observed, func(status kubetest.Object) { status["observedGeneration"] = "0" }
	t.Run("with a status", func(t *testing.T) { kubetest.Conform(t, f) })
}

func objectOf(t *testing.T, http, status string) []kube.Object {
	t.Helper()
	text := `{"metadata":{"name":"chat","generation":3,"resourceVersion":"7"},"spec":{"http":` + http + `},"status":` + status + `}`
	o, err := kube.Decode(New(at).Refs()[0], []byte(text))
	require.NoError(t, err)
	return []kube.Object{o}
}

func routeTo(weights ...string) string {
	subsets := []string{"blue", "green", "red"}
	list := ""
	for i, w := range weights {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"destination":{"host":%q,"subset":%q}%s}`, host, subsets[i], w)
	}
	return `[{"route":[` + list + `]}]`
}

func TestPlan(t *testing.T) {
	const bad = `{"observedGeneration":3,"validationMessages":[{"level":"ERROR","documentationUrl":"https://istio.io/IST0101"}]}`
	for name, tc := range map[string]struct {
		at           swap.VirtualService
		http, status string
		want         swap.Weights
		patch, says  string
	}{
		"subsets": {at, routeTo(`,"weight":100`, ``), `{}`, canary, `[
			{"op":"test","path":"/spec/http/0/route/0/destination/host","value":"chat.prod.svc.cluster.local"},
			{"op":"test","path":"/spec/http/0/route/0/destination/subset","value":"blue"},
			{"op":"add","path":"/spec/http/0/route/0/weight","value":95},
			{"op":"test","path":"/spec/http/0/route/1/destination/host","value":"chat.prod.svc.cluster.local"},
			{"op":"test","path":"/spec/http/0/route/1/destination/subset","value":"green"},
			{"op":"add","path":"/spec/http/0/route/1/weight","value":5}]`, ""},
		"hosts, chosen by name": {
			hosts,
			`[{"route":[{"destination":{"host":"green"}}]},
			{"name":"completions","route":[{"destination":{"host":"green"},"weight":50},{"destination":{"host":"blue"},"weight":50}]}]`,
			`{}`, swap.AllBaseline, `[
			{"op":"test","path":"/spec/http/1/route/1/destination/host","value":"blue"},
			{"op":"add","path":"/spec/http/1/route/1/weight","value":100},
			{"op":"test","path":"/spec/http/1/route/0/destination/host","value":"green"},
			{"op":"add","path":"/spec/http/1/route/0/weight","value":0}]`, "",
		},
		"nothing to do":        {at, routeTo(`,"weight":19`, `,"weight":1`), `{}`, canary, `null`, ""},
		"a third destination":  {at, routeTo(`,"weight":90`, `,"weight":5`, `,"weight":5`), `{}`, swap.Weights{Candidate: 100}, "", "subset red"},
		"a third without any":  {at, routeTo(`,"weight":95`, `,"weight":5`, ``), `{}`, canary, `null`, ""},
		"no candidate":         {at, routeTo(``), `{}`, canary, "", "add the candidate with weight 0"},
		"Istio finds an error": {at, routeTo(`,"weight":100`, ``), bad, canary, "", "IST0101"},
		"another form":         {at, `{}`, `{}`, canary, "", "must not be a object"},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := New(tc.at).Plan(objectOf(t, tc.http, tc.status), tc.want)
			if tc.says != "" {
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
	_, err := New(at).Plan(objectOf(t, routeTo(`,"weight":50`, `,"weight":50`), bad), swap.AllBaseline)
	require.NoError(t, err, "going back is not refused")
}

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct{ http, status, pending string }{
		"silent":       {routeTo(`,"weight":95`, `,"weight":5`), `{}`, ""},
		"seen":         {routeTo(`,"weight":95`, `,"weight":5`), `{"observedGeneration":3}`, ""},
		"seen as text": {routeTo(`,"weight":95`, `,"weight":5`), `{"observedGeneration":"3"}`, ""},
		"not yet seen": {routeTo(`,"weight":95`, `,"weight":5`), `{"observedGeneration":"2"}`, "Istio has seen generation 2"},
		"a warning":    {routeTo(`,"weight":95`, `,"weight":5`), `{"validationMessages":[{"level":"WARNING"}]}`, ""},
		"an error":     {routeTo(`,"weight":95`, `,"weight":5`), `{"validationMessages":[{"level":"ERROR"}]}`, "finds an error"},
		"a third":      {routeTo(`,"weight":95`, `,"weight":5`, `,"weight":1`), `{}`, "also sends traffic to"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New(at).Read(objectOf(t, tc.http, tc.status))
			require.NoError(t, err)
			require.Equal(t, canary, got.Weights)
			require.Contains(t, got.Pending, tc.pending)
			require.Equal(t, tc.pending == "", got.Pending == "", got.Pending)
		})
	}
	_, err := New(at).Read(objectOf(t, `"x"`, `{}`))
	require.ErrorIs(t, err, traffic.ErrRefused)
}

func FuzzRead(f *testing.F) {
	f.Add(`{"metadata":{"name":"chat","resourceVersion":"7"},"spec":{"http":` + routeTo(`,"weight":95`, `,"weight":5`) + `},
		"status":{"observedGeneration":"3"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		o, err := kube.Decode(New(at).Refs()[0], []byte(text))
		if err != nil {
			return
		}
		if s, err := New(at).Read([]kube.Object{o}); err == nil {
			require.Contains(t, []int{0, 100}, s.Baseline+s.Candidate)
		}
		_, _ = New(at).Plan([]kube.Object{o}, swap.AllBaseline)
	})
}
