package kube_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
	"github.com/swapgate/swapgate/pkg/traffic/kube/kubetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ref  = kube.Ref{Group: "example.com", Version: "v1", Resource: "routes", Namespace: "prod", Name: "chat"}
	text = []byte("apiVersion: example.com/v1\nkind: Route\nmetadata: {name: chat, namespace: prod}\nspec: {weight: 5}\n")
)

const calls = 5 * time.Second

// cluster is an API server with TLS, and the environment and service account of a pod in it.
func cluster(t *testing.T, s *kubetest.Server) (getenv func(string) string, account string) {
	t.Helper()
	srv := httptest.NewTLSServer(s)
	t.Cleanup(srv.Close)
	account = t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	require.NoError(t, os.WriteFile(filepath.Join(account, "ca.crt"), ca, 0o600))
	writeToken(t, account, "first")
	u, err := url.Parse(srv.URL)
	require.NoError(t, err)
	env := map[string]string{"KUBERNETES_SERVICE_HOST": u.Hostname(), "KUBERNETES_SERVICE_PORT": u.Port()}
	return func(name string) string { return env[name] }, account
}

func writeToken(t *testing.T, account, token string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(account, "token"), []byte(token+"\n"), 0o600))
}

func TestInClusterTheTokenIsReadAgain(t *testing.T) {
	s := &kubetest.Server{Token: "first"}
	s.Create(t, "kubectl", text)
	getenv, account := cluster(t, s)
	c, err := kube.InCluster(getenv, account, calls)
	require.NoError(t, err)
	_, err = c.Get(t.Context(), ref)
	require.NoError(t, err)

	s.Token = "second"
	_, err = c.Get(t.Context(), ref)
	require.ErrorIs(t, err, traffic.ErrRefused)
	writeToken(t, account, "second")
	_, err = c.Get(t.Context(), ref)
	require.NoError(t, err)

	require.NoError(t, os.Remove(filepath.Join(account, "token")))
	_, err = c.Get(t.Context(), ref)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
}

func TestOutsideOfAClusterAnAddressIsNeeded(t *testing.T) {
	_, err := kube.InCluster(func(string) string { return "" }, t.TempDir(), calls)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
	require.ErrorContains(t, err, "admin_url")
	_, err = kube.NewClient("cluster", nil, nil)
	require.ErrorIs(t, err, traffic.ErrUnsupported)
}

func TestAnotherAuthorityIsNotTrusted(t *testing.T) {
	getenv, account := cluster(t, &kubetest.Server{})
	empty := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(empty, []byte("no certificate"), 0o600))
	_, err := httpapi.Trusting(empty, calls)
	require.ErrorContains(t, err, "holds no certificate")
	_, err = httpapi.Trusting(filepath.Join(t.TempDir(), "none"), calls)
	require.ErrorIs(t, err, traffic.ErrUnsupported)

	c, err := kube.NewClient("https://"+getenv("KUBERNETES_SERVICE_HOST")+":"+getenv("KUBERNETES_SERVICE_PORT"), nil,
		&http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
	require.NoError(t, err)
	_, err = c.Get(t.Context(), ref)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	require.ErrorContains(t, err, "certificate")
	require.FileExists(t, filepath.Join(account, "ca.crt"))
}

func open(t *testing.T, h http.Handler) *kube.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c, err := kube.NewClient(srv.URL, nil, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
	require.NoError(t, err)
	return c
}

func TestAPatchIsGuardedByTheGeneration(t *testing.T) {
	s := &kubetest.Server{}
	path := s.Create(t, "kubectl", text)
	c := open(t, s)
	before, err := c.Get(t.Context(), ref)
	require.NoError(t, err)

	// A report of the status changes the resource version and nothing that matters here.
	s.Reconcile = func(kubetest.Object, []kubetest.Object) kubetest.Object { return kubetest.Object{"seen": true} }
	s.Resume()
	require.NotEqual(t, before.Meta.ResourceVersion, s.Get(path)["metadata"].(kubetest.Object)["resourceVersion"])
	require.NoError(t, c.Patch(t.Context(), before, []kube.Op{kube.Set("/spec/weight", 6)}))
	require.InDelta(t, 6, s.Get(path)["spec"].(kubetest.Object)["weight"], 0)

	err = c.Patch(t.Context(), before, []kube.Op{kube.Set("/spec/weight", 7)})
	require.ErrorIs(t, err, traffic.ErrConflict)
	now, err := c.Get(t.Context(), ref)
	require.NoError(t, err)
	err = c.Patch(t.Context(), now, []kube.Op{kube.Test("/spec/name", "x"), kube.Set("/spec/weight", 7)})
	require.ErrorIs(t, err, traffic.ErrRefused, "a patch that makes no sense is no conflict")
	require.ErrorContains(t, err, "answered 422")
}

func TestRepliesThatAreNoObject(t *testing.T) {
	for name, reply := range map[string]string{
		"another page":    "<html>",
		"another object":  `{"metadata":{"name":"other","resourceVersion":"1"}}`,
		"no metadata":     `{"spec":{}}`,
		"another version": `{"metadata":{"name":"chat"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(reply)) }))
			_, err := c.Get(t.Context(), ref)
			require.ErrorIs(t, err, traffic.ErrRefused)
		})
	}
}

func TestErrorsOfTheServerPass(t *testing.T) {
	c := open(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	_, err := c.Get(t.Context(), ref)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Get(ctx, ref)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
}
