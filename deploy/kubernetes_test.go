package deploy_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// manifest is what the tests look at in a Kubernetes object.
type manifest struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Template struct {
			Metadata struct {
				Labels map[string]string `yaml:"labels"`
			} `yaml:"metadata"`
			Spec pod `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type pod struct {
	AutomountToken  *bool `yaml:"automountServiceAccountToken"`
	GraceSeconds    int   `yaml:"terminationGracePeriodSeconds"`
	HostNetwork     bool  `yaml:"hostNetwork"`
	SecurityContext struct {
		RunAsNonRoot bool `yaml:"runAsNonRoot"`
		RunAsUser    int  `yaml:"runAsUser"`
		Seccomp      struct {
			Type string `yaml:"type"`
		} `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	Containers []container `yaml:"containers"`
}

type container struct {
	Image           string   `yaml:"image"`
	Args            []string `yaml:"args"`
	StartupProbe    *probe   `yaml:"startupProbe"`
	ReadinessProbe  *probe   `yaml:"readinessProbe"`
	LivenessProbe   *probe   `yaml:"livenessProbe"`
	SecurityContext struct {
		AllowEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRoot    bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities    struct {
			Drop []string `yaml:"drop"`
		} `yaml:"capabilities"`
	} `yaml:"securityContext"`
	Resources struct {
		Requests map[string]string `yaml:"requests"`
		Limits   map[string]string `yaml:"limits"`
	} `yaml:"resources"`
}

type probe struct {
	HTTPGet struct {
		Path string `yaml:"path"`
	} `yaml:"httpGet"`
}

type kustomization struct {
	Resources []string `yaml:"resources"`
	Images    []struct {
		Name    string `yaml:"name"`
		NewName string `yaml:"newName"`
		NewTag  string `yaml:"newTag"`
	} `yaml:"images"`
}

// objects decodes every document of a YAML file.
func objects[T any](t *testing.T, path string) []T {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	var out []T
	for {
		var v T
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err, path)
		out = append(out, v)
	}
}

func theKustomization(t *testing.T) kustomization {
	t.Helper()
	all := objects[kustomization](t, "kubernetes/kustomization.yaml")
	require.Len(t, all, 1)
	return all[0]
}

// workloads are the objects that run pods, by name.
func workloads(t *testing.T) map[string]manifest {
	t.Helper()
	out := map[string]manifest{}
	for _, file := range theKustomization(t).Resources {
		for _, m := range objects[manifest](t, filepath.Join("kubernetes", file)) {
			if len(m.Spec.Template.Spec.Containers) > 0 {
				out[m.Metadata.Name] = m
			}
		}
	}
	return out
}

func TestEveryManifestIsApplied(t *testing.T) {
	files, err := filepath.Glob("kubernetes/*.yaml")
	require.NoError(t, err)
	listed := append(theKustomization(t).Resources, "kustomization.yaml", "secret.example.yaml")
	for _, f := range files {
		require.Contains(t, listed, filepath.Base(f))
		for _, m := range objects[manifest](t, f) {
			require.NotEmpty(t, m.Kind, f)
		}
	}
	require.Len(t, listed, len(files))
}

func TestWorkloadsAreConfined(t *testing.T) {
	all := workloads(t)
	require.Len(t, all, 3)
	for name, w := range all {
		t.Run(name, func(t *testing.T) {
			p := w.Spec.Template.Spec
			require.True(t, p.SecurityContext.RunAsNonRoot)
			require.Equal(t, 65532, p.SecurityContext.RunAsUser, "the user of the image")
			require.Equal(t, "RuntimeDefault", p.SecurityContext.Seccomp.Type)
			require.False(t, p.HostNetwork)
			require.NotNil(t, p.AutomountToken)
			require.False(t, *p.AutomountToken)
			for _, c := range p.Containers {
				require.NotNil(t, c.SecurityContext.AllowEscalation)
				require.False(t, *c.SecurityContext.AllowEscalation)
				require.True(t, c.SecurityContext.ReadOnlyRoot)
				require.Equal(t, []string{"ALL"}, c.SecurityContext.Capabilities.Drop)
			}
		})
	}
}

func TestWorkloadsStartAndStopCleanly(t *testing.T) {
	images := theKustomization(t).Images
	require.Len(t, images, 1)
	requirePinned(t, images[0].NewName+":"+images[0].NewTag)
	for name, w := range workloads(t) {
		t.Run(name, func(t *testing.T) {
			p := w.Spec.Template.Spec
			require.Greater(t, time.Duration(p.GraceSeconds)*time.Second, workerStopTimeout)
			require.Equal(t, "swapgate", w.Spec.Template.Metadata.Labels["app.kubernetes.io/name"])
			for _, c := range p.Containers {
				require.Equal(t, images[0].Name, c.Image, "kustomization.yaml pins it")
				require.Contains(t, c.Args, "--stop-timeout="+"60s")
				require.Equal(t, "/readyz", c.StartupProbe.HTTPGet.Path)
				require.Equal(t, "/readyz", c.ReadinessProbe.HTTPGet.Path)
				require.Equal(t, "/healthz", c.LivenessProbe.HTTPGet.Path)
				require.NotEmpty(t, c.Resources.Requests["cpu"])
				require.NotEmpty(t, c.Resources.Limits["memory"])
			}
		})
	}
}

// TestLoadWorkersOwnTheirCPUs holds the condition of the static CPU manager: whole CPUs, requests equal to limits.
func TestLoadWorkersOwnTheirCPUs(t *testing.T) {
	c := workloads(t)["swapgate-load"].Spec.Template.Spec.Containers[0]
	require.Equal(t, c.Resources.Requests, c.Resources.Limits)
	require.Regexp(t, `^\d+$`, c.Resources.Requests["cpu"])
}
