package kubetest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// Fixture is a kind with objects of it that give all traffic to the baseline.
type Fixture struct {
	Kind kube.Kind
	// Files hold the objects, in the order of the kind's Refs.
	Files []string
	// Schema is a file with the JSON Schema of their specification.
	Schema string
	// Accept is the controller of the objects: the status of one whose specification it follows.
	Accept func(o Object, all []Object) Object
	// Stale makes the status one of a controller that has not seen the last change. Nil where the kind has no such status.
	Stale func(status Object)
	// Intrude changes the weights in the specification of the last file as another writer would.
	Intrude func(spec Object)
}

var (
	// quick is for a gateway that follows at once, or never.
	quick = kube.Patience{For: 5 * time.Millisecond, Every: time.Millisecond}
	// patient is for one that follows after some looks, however slow this machine is.
	patient = kube.Patience{For: time.Minute, Every: time.Millisecond}
)

// Open creates the objects on a server, as kubectl would, and returns the controller and their paths.
func (f Fixture) Open(t *testing.T, s *Server) (*kube.Controller, []string) {
	t.Helper()
	if s.Reconcile == nil {
		s.Reconcile = f.Accept
	}
	valid := validator(t, f.Schema)
	if s.Validate == nil {
		s.Validate = valid
	}
	var paths []string
	for _, file := range f.Files {
		text, err := os.ReadFile(file) //nolint:gosec // a file of the test
		require.NoError(t, err)
		path := s.Create(t, "kubectl-client-side-apply", text)
		o := s.Get(path)
		require.NoError(t, valid(o), file)
		o["spec"].(Object)["unknown"] = true
		require.Error(t, valid(o), "the schema must tell what it knows from what it does not")
		paths = append(paths, path)
	}
	return Connect(t, s, f.Kind, quick), paths
}

// validator holds specifications against a schema, as the API does with the one of a resource's definition.
func validator(t *testing.T, file string) func(Object) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(file)
	require.NoError(t, err)
	return func(o Object) error { return schema.Validate(o["spec"]) }
}

// Connect returns a controller that talks to a server.
func Connect(t *testing.T, h http.Handler, kind kube.Kind, patience kube.Patience) *kube.Controller {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := kube.NewClient(srv.URL, func() (string, error) { return "token-of-the-worker", nil }, &http.Client{Transport: transport})
	require.NoError(t, err)
	return kube.NewController(client, kind, patience)
}

var canary = swap.Weights{Baseline: 95, Candidate: 5}

// Conform runs what holds for every kind.
func Conform(t *testing.T, f Fixture) {
	t.Helper()
	t.Run("weights are set, read back and set no second time", f.setsAndReadsBack)
	t.Run("every weight can be reached from every other", f.reachesAll)
	t.Run("another writer in between is a conflict and stays", f.conflicts)
	t.Run("another controller keeps its weights, but not from the baseline", f.respectsManagers)
	t.Run("a rehearsal finds what would forbid a rollout, and changes nothing", f.rehearses)
	t.Run("a person's hand does not bind", f.allowsHands)
	if f.Stale != nil {
		t.Run("a gateway that does not follow is not applied", f.awaits)
	}
	t.Run("a lost reply is settled by reading", f.settles)
	t.Run("a write that failed is not waited for", f.doesNotWait)
	t.Run("refusals say what to do", f.explains)
}

func (f Fixture) setsAndReadsBack(t *testing.T) {
	s := &Server{Token: "token-of-the-worker"}
	c, paths := f.Open(t, s)
	before, err := c.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: swap.AllBaseline, Version: before.Version}, before)

	after, err := c.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, canary, after.Weights)
	require.NotEqual(t, before.Version, after.Version)
	patches := s.Patches()
	require.Positive(t, patches)
	require.Contains(t, managers(s.Get(paths[len(paths)-1])), "swapgate")

	again, err := c.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, after, again)
	require.Equal(t, patches, s.Patches(), "weights that are right are not written")
}

func (f Fixture) reachesAll(t *testing.T) {
	c, _ := f.Open(t, &Server{})
	for _, share := range []int{0, 1, 5, 20, 50, 99, 100, 0, 100, 33, 0} {
		want := swap.Weights{Baseline: 100 - share, Candidate: share}
		got, err := c.Apply(t.Context(), want)
		require.NoError(t, err)
		require.Equal(t, want, got.Weights)
		read, err := c.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, got, read)
	}
}

func (f Fixture) conflicts(t *testing.T) {
	s := &Server{}
	c, paths := f.Open(t, s)
	last := paths[len(paths)-1]
	intruded := false
	s.BeforePatch = func() {
		if !intruded {
			intruded = true
			s.Update(last, "kubectl-edit", "Update", f.Intrude)
		}
	}
	_, err := c.Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrConflict)
	got, err := c.Read(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, canary, got.Weights, "the other writer's change stands")
	_, err = c.Apply(t.Context(), canary)
	require.NoError(t, err)
}

func (f Fixture) respectsManagers(t *testing.T) {
	s := &Server{}
	c, paths := f.Open(t, s)
	for _, writer := range []struct{ name, operation string }{
		{"argocd-controller", "Update"},
		{"rollouts-controller", "Update"},
		{"flagger", "Update"},
		{"kustomize-controller", "Apply"},
		{"a-controller-of-ours", "Apply"},
	} {
		for _, path := range paths {
			s.Update(path, writer.name, writer.operation, f.Intrude)
		}
		before, err := c.Read(t.Context())
		require.NoError(t, err)
		patches := s.Patches()
		_, err = c.Apply(t.Context(), swap.Weights{Candidate: 100})
		require.ErrorIs(t, err, traffic.ErrRefused, writer.name)
		require.ErrorContains(t, err, writer.name)
		require.Equal(t, patches, s.Patches())
		require.Positive(t, before.Candidate)

		got, err := c.Apply(t.Context(), swap.AllBaseline)
		require.NoError(t, err, "going back is never refused")
		require.Equal(t, swap.AllBaseline, got.Weights)
	}
}

func (f Fixture) rehearses(t *testing.T) {
	s := &Server{}
	c, paths := f.Open(t, s)
	before := s.Get(paths[0])
	require.NoError(t, c.Rehearse(t.Context()))
	require.Equal(t, before, s.Get(paths[0]))
	require.Zero(t, s.Patches())

	s.Forbid = map[string]bool{"patch": true}
	err := c.Rehearse(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "get and patch")
	s.Forbid = nil
	s.Update(paths[len(paths)-1], "flagger", "Update", f.Intrude)
	err = c.Rehearse(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "flagger")

	_, err = c.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	_, err = c.Apply(t.Context(), swap.Weights{Candidate: 100})
	require.NoError(t, err)
	require.NoError(t, c.Rehearse(t.Context()), "there is no more to give")
}

func (f Fixture) allowsHands(t *testing.T) {
	s := &Server{}
	c, paths := f.Open(t, s)
	for _, writer := range []struct{ name, operation string }{
		{"kubectl", "Apply"}, {"kubectl-edit", "Update"}, {"helm", "Apply"}, {"ci", "Update"},
	} {
		for _, path := range paths {
			s.Update(path, writer.name, writer.operation, f.Intrude)
		}
		_, err := c.Apply(t.Context(), swap.AllBaseline)
		require.NoError(t, err)
		_, err = c.Apply(t.Context(), swap.Weights{Candidate: 100})
		require.NoError(t, err, writer.name)
	}
}

func (f Fixture) awaits(t *testing.T) {
	s := &Server{}
	c, paths := f.Open(t, s)
	stuck, looks := true, 0
	s.Reconcile = func(o Object, all []Object) Object {
		status := clone(f.Accept(o, all))
		if stuck {
			f.Stale(status)
		}
		return status
	}
	got, err := c.Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.NotEmpty(t, got.Pending)
	_, err = c.Apply(t.Context(), swap.Weights{Baseline: 80, Candidate: 20})
	require.ErrorIs(t, err, traffic.ErrNotApplied, "no further step before the last one is live")
	_, err = c.Apply(t.Context(), swap.AllBaseline)
	require.ErrorIs(t, err, traffic.ErrNotApplied)

	// The controller comes back while it is waited for.
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if looks++; looks == 4*len(paths) {
			stuck = false
			s.Resume()
		}
		s.ServeHTTP(w, r)
	})
	got, err = Connect(t, slow, f.Kind, patient).Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, got.Weights)
	require.Empty(t, got.Pending)
}

func (f Fixture) settles(t *testing.T) {
	s := &Server{}
	_, _ = f.Open(t, s)
	lossy := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPatch {
			s.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	c := Connect(t, lossy, f.Kind, quick)
	var err error
	var got traffic.State
	// Each call gets one patch through, and a kind of two objects needs two.
	for range f.Kind.Refs() {
		got, err = c.Apply(t.Context(), canary)
	}
	require.NoError(t, err)
	require.Equal(t, canary, got.Weights)
}

func (f Fixture) doesNotWait(t *testing.T) {
	s := &Server{}
	_, _ = f.Open(t, s)
	reads := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		reads++
		s.ServeHTTP(w, r)
	})
	_, err := Connect(t, h, f.Kind, quick).Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	require.NotErrorIs(t, err, traffic.ErrNotApplied)
	require.Equal(t, 2*len(f.Files), reads, "one look before and one after")
}

func (f Fixture) explains(t *testing.T) {
	for name, tc := range map[string]struct {
		server *Server
		says   string
	}{
		"a token that is not known": {&Server{Token: "another"}, "admin_token"},
		"no right to read":          {&Server{Forbid: map[string]bool{"get": true}}, "get and patch"},
		"no right to write":         {&Server{Forbid: map[string]bool{"patch": true}}, "get and patch"},
		"a specification that the API rejects": {
			&Server{Validate: func(Object) error { return http.ErrNotSupported }}, http.ErrNotSupported.Error(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := f.Open(t, tc.server)
			_, err := c.Apply(t.Context(), canary)
			require.ErrorIs(t, err, traffic.ErrRefused)
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "token-of-the-worker")
		})
	}
	_, err := Connect(t, &Server{}, f.Kind, quick).Read(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "not found")
}

func managers(o Object) []string {
	var names []string
	entries, _ := metaOf(o)["managedFields"].([]any)
	for _, e := range entries {
		names = append(names, e.(Object)["manager"].(string))
	}
	return names
}
