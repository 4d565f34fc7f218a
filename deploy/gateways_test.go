package deploy_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic/httproute"
	"github.com/swapgate/swapgate/pkg/traffic/istio"
	"github.com/swapgate/swapgate/pkg/traffic/kserve"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// role is what the tests look at in a Role, a RoleBinding or a ServiceAccount.
type role struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name      string `yaml:"name"`
		Namespace string `yaml:"namespace"`
	} `yaml:"metadata"`
	Rules []struct {
		APIGroups     []string `yaml:"apiGroups"`
		Resources     []string `yaml:"resources"`
		ResourceNames []string `yaml:"resourceNames"`
		Verbs         []string `yaml:"verbs"`
	} `yaml:"rules"`
	RoleRef struct {
		Kind string `yaml:"kind"`
		Name string `yaml:"name"`
	} `yaml:"roleRef"`
	Subjects []struct {
		Kind      string `yaml:"kind"`
		Name      string `yaml:"name"`
		Namespace string `yaml:"namespace"`
	} `yaml:"subjects"`
}

// steered are the objects that a worker touches for a route of each kind.
var steered = map[swap.RouteKind][]kube.Ref{
	swap.RouteHTTPRoute:        httproute.New(swap.HTTPRoute{Namespace: "prod", Name: "chat"}).Refs(),
	swap.RouteInferenceService: kserve.NewInferenceService(swap.InferenceService{Namespace: "prod", Name: "chat"}).Refs(),
	swap.RouteLLMInferenceService: kserve.NewLLMInferenceService(
		swap.LLMInferenceService{Namespace: "prod", Baseline: "chat-blue", Candidate: "chat-green"}).Refs(),
	swap.RouteVirtualService: istio.New(swap.VirtualService{Namespace: "prod", Name: "chat"}).Refs(),
}

func TestRolesAllowWhatIsSteeredAndNothingElse(t *testing.T) {
	account := objects[role](t, "kubernetes/gateways/account.yaml")[0]
	for kind, refs := range steered {
		t.Run(string(kind), func(t *testing.T) {
			all := objects[role](t, filepath.Join("kubernetes/gateways", string(kind)+".yaml"))
			require.Len(t, all, 2)
			r, binding := all[0], all[1]
			require.Equal(t, "Role", r.Kind, "rights are for one namespace")
			require.Len(t, r.Rules, 1)
			require.Equal(t, []string{"get", "patch"}, r.Rules[0].Verbs)
			var names []string
			for _, ref := range refs {
				require.Equal(t, []string{ref.Group}, r.Rules[0].APIGroups)
				require.Equal(t, []string{ref.Resource}, r.Rules[0].Resources)
				require.Equal(t, ref.Namespace, r.Metadata.Namespace)
				names = append(names, ref.Name)
			}
			require.Equal(t, names, r.Rules[0].ResourceNames)

			require.Equal(t, r.Metadata, binding.Metadata)
			require.Equal(t, r.Metadata.Name, binding.RoleRef.Name)
			require.Equal(t, "Role", binding.RoleRef.Kind)
			require.Len(t, binding.Subjects, 1)
			require.Equal(t, account.Metadata.Name, binding.Subjects[0].Name)
			require.Equal(t, account.Metadata.Namespace, binding.Subjects[0].Namespace)
		})
	}
}

func TestOnlyControlWorkersGetTheAccount(t *testing.T) {
	all := objects[kustomization](t, "kubernetes/gateways/kustomization.yaml")
	files, err := filepath.Glob("kubernetes/gateways/*.yaml")
	require.NoError(t, err)
	for _, f := range files {
		name := filepath.Base(f)
		require.True(t, name == "kustomization.yaml" || name == "control-token.yaml" || slices.Contains(all[0].Resources, name), name)
	}
	patch := objects[manifest](t, "kubernetes/gateways/control-token.yaml")
	require.Len(t, patch, 1)
	require.Equal(t, "swapgate-control", patch[0].Metadata.Name)
	require.Contains(t, workloads(t), "swapgate-control")
}
