package kube

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/traffic"
)

func TestOwns(t *testing.T) {
	const set = `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{".":{},"f:hostnames":{},"f:rules":{},
		"f:predictor":{"f:canaryTrafficPercent":{},"f:model":{"f:storageUri":{}}}}}`
	for name, tc := range map[string]struct {
		path []string
		want bool
	}{
		"a list that is one field":     {[]string{"spec", "rules"}, true},
		"a field in it":                {[]string{"spec", "rules", "0", "weight"}, true},
		"a field":                      {[]string{"spec", "predictor", "canaryTrafficPercent"}, true},
		"part of what is held":         {[]string{"spec", "predictor"}, true},
		"a field that is not set":      {[]string{"spec", "predictor", "minReplicas"}, false},
		"another list":                 {[]string{"spec", "canary"}, false},
		"a field below another object": {[]string{"status", "rules"}, false},
	} {
		require.Equal(t, tc.want, owns(json.RawMessage(set), tc.path), name)
	}
	require.False(t, owns(nil, []string{"spec"}))
	require.True(t, owns(json.RawMessage(`{}`), []string{"spec"}))
}

func TestManagers(t *testing.T) {
	for manager, binds := range map[string]struct{ update, apply bool }{
		"argocd-controller":             {true, true},
		"argocd-application-controller": {true, true},
		"kustomize-controller":          {true, true},
		"helm-controller":               {true, true},
		"rollouts-controller":           {true, true},
		"flagger":                       {true, true},
		"gatewayAPI":                    {true, true},
		"Flagger":                       {true, true},
		"our-own-controller":            {false, true},
		"fluxion":                       {false, true},
		"swapgate":                      {false, false},
		"kubectl":                       {false, false},
		"kubectl-client-side-apply":     {false, false},
		"helm":                          {false, false},
		"helmsman":                      {false, true},
		"Mozilla":                       {false, true},
	} {
		require.Equal(t, binds.update, reconciles(ManagedField{Manager: manager, Operation: "Update"}), manager)
		require.Equal(t, binds.apply, reconciles(ManagedField{Manager: manager, Operation: "Apply"}), manager)
	}
}

func TestCheckManagers(t *testing.T) {
	rules := json.RawMessage(`{"f:spec":{"f:rules":{}}}`)
	o := Object{Ref: Ref{Group: "g", Version: "v1", Resource: "routes", Namespace: "n", Name: "x"}}
	o.Meta.ManagedFields = []ManagedField{
		{Manager: "kubectl-edit", Operation: "Update", FieldsV1: rules},
		{Manager: "flagger", Operation: "Update", Subresource: "status", FieldsV1: rules},
		{Manager: "argocd-controller", Operation: "Apply", FieldsV1: json.RawMessage(`{"f:spec":{"f:hostnames":{}}}`)},
	}
	require.NoError(t, checkManagers(o, []string{"spec", "rules"}))
	o.Meta.ManagedFields = append(o.Meta.ManagedFields, ManagedField{Manager: "flagger", Operation: "Update", FieldsV1: rules})
	err := checkManagers(o, []string{"spec", "rules"})
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, `the weights of routes.g n/x are managed by "flagger" (Update)`)
}

func TestAnObjectOfAControllerIsNotSteered(t *testing.T) {
	o, err := Decode(Ref{Resource: "httproutes", Namespace: "n", Name: "x"}, []byte(`{"metadata":{"name":"x","resourceVersion":"1",
		"ownerReferences":[{"kind":"ConfigMap","name":"a"},{"kind":"InferenceService","name":"chat","controller":true}]}}`))
	require.NoError(t, err)
	err = checkManagers(o, []string{"spec", "rules"})
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "made by the controller of InferenceService chat")
	o.Meta.OwnerReferences = o.Meta.OwnerReferences[:1]
	require.NoError(t, checkManagers(o, []string{"spec", "rules"}))
}

func FuzzOwns(f *testing.F) {
	f.Add(`{"f:spec":{"f:rules":{}}}`)
	f.Add(`{"f:spec":null}`)
	f.Fuzz(func(t *testing.T, set string) {
		if owns(json.RawMessage(set), []string{"spec", "rules", "weight"}) {
			require.True(t, owns(json.RawMessage(set), []string{"spec", "rules"}), "who owns a field owns the whole it is in")
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"metadata":{"name":"x","generation":3,"resourceVersion":"7","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]}}`)
	ref := Ref{Group: "g", Version: "v1", Resource: "routes", Namespace: "n", Name: "x"}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Decode(ref, []byte(text))
		if err != nil {
			require.ErrorIs(t, err, traffic.ErrRefused)
			return
		}
		require.NotEmpty(t, o.version())
		_ = checkManagers(o, []string{"spec", "rules"})
	})
}
