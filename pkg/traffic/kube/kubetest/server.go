// Package kubetest is the part of a Kubernetes API server that steering a gateway needs, for tests: objects with resource
// versions and generations, JSON Patch, the fields that each writer set, a status that only its own subresource changes, and
// refusals in the words of the real server (k8s.io/apiserver, pkg/endpoints/handlers/patch.go).
package kubetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// Object is an object as JSON decodes it.
type Object = map[string]any

// Server is an http.Handler. Its fields are set before it serves.
type Server struct {
	// Token is the bearer token that calls must have; empty asks for none.
	Token string
	// Forbid names the verbs ("get", "patch") that the account is not allowed.
	Forbid map[string]bool
	// Validate is what an admission webhook or the rules of a schema say against an object.
	Validate func(Object) error
	// Reconcile is the controller of the objects. After every write it sees each object, beside all others, and returns its status.
	Reconcile func(o Object, all []Object) Object
	// BeforePatch runs after a patch has arrived and before it applies, as another writer would who is a little faster.
	BeforePatch func()

	mu      sync.Mutex
	objects map[string]Object
	clock   int
	patches int
}

// Create stores an object in YAML or JSON as manager would, and returns its path.
func (s *Server) Create(tb testing.TB, manager string, text []byte) string {
	tb.Helper()
	var o Object
	require.NoError(tb, yaml.Unmarshal(text, &o))
	o = clone(o)
	path := pathOf(o)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects == nil {
		s.objects = map[string]Object{}
	}
	meta := metaOf(o)
	meta["generation"] = float64(1)
	record(meta, manager, "Update", nil, o["spec"])
	s.store(path, o)
	s.reconcile()
	return path
}

// Update changes the specification as another writer does, by an update or, as a declarative writer, by an apply.
func (s *Server) Update(path, manager, operation string, change func(spec Object)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := clone(s.objects[path])
	change(after["spec"].(Object))
	s.write(path, after, manager, operation)
}

// Get returns a copy of an object.
func (s *Server) Get(path string) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.objects[path])
}

// Patches returns how many patches were applied.
func (s *Server) Patches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.patches
}

// write stores a new specification unless it is the old one: the real server answers such a write and changes nothing.
func (s *Server) write(path string, after Object, manager, operation string) {
	before := s.objects[path]
	if reflect.DeepEqual(before["spec"], after["spec"]) {
		return
	}
	meta := metaOf(after)
	meta["generation"] = meta["generation"].(float64) + 1
	record(meta, manager, operation, before["spec"], after["spec"])
	s.store(path, after)
	s.reconcile()
}

func (s *Server) store(path string, o Object) {
	s.clock++
	metaOf(o)["resourceVersion"] = strconv.Itoa(1000 + s.clock)
	s.objects[path] = o
}

// reconcile brings the status of every object up to date.
func (s *Server) reconcile() {
	if s.Reconcile == nil {
		return
	}
	var all []Object
	for _, o := range s.objects {
		all = append(all, clone(o))
	}
	for path, o := range s.objects {
		after := clone(o)
		after["status"] = clone(s.Reconcile(clone(o), all))
		if !reflect.DeepEqual(after["status"], o["status"]) {
			s.store(path, after)
		}
	}
}

// Resume runs the controller once more, as it does when it comes back after a pause.
func (s *Server) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reconcile()
}

// ServeHTTP answers get and patch.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verb := strings.ToLower(r.Method)
	switch {
	case s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		refuse(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
	case s.Forbid[verb]:
		refuse(w, http.StatusForbidden, "Forbidden", fmt.Sprintf(
			"%s is forbidden: User \"system:serviceaccount:swapgate:swapgate\" cannot %s resource", r.URL.Path, verb))
	case s.Get(r.URL.Path) == nil:
		refuse(w, http.StatusNotFound, "NotFound", r.URL.Path+" not found")
	case r.Method == http.MethodGet:
		reply(w, http.StatusOK, s.Get(r.URL.Path))
	case r.Method == http.MethodPatch:
		s.patch(w, r)
	default:
		refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed", "the server does not allow this method on the requested resource")
	}
}

func (s *Server) patch(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Content-Type") != "application/json-patch+json" {
		refuse(w, http.StatusUnsupportedMediaType, "UnsupportedMediaType", "the body of the request was in an unknown format")
		return
	}
	var ops []operation
	if err := json.NewDecoder(r.Body).Decode(&ops); err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	if s.BeforePatch != nil {
		s.BeforePatch()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.Path
	before := s.objects[path]
	after, err := applyPatch(before, ops)
	switch {
	case err != nil:
		// The real server keeps the reason to itself.
		refuse(w, http.StatusUnprocessableEntity, "Invalid", "the server rejected our request due to an error in our request")
		return
	case metaOf(after)["resourceVersion"] != metaOf(before)["resourceVersion"]:
		refuse(w, http.StatusConflict, "Conflict", "Operation cannot be fulfilled on "+path+
			": the object has been modified; please apply your changes to the latest version and try again")
		return
	}
	after["status"] = before["status"]
	if s.Validate != nil {
		if err := s.Validate(clone(after)); err != nil {
			refuse(w, http.StatusUnprocessableEntity, "Invalid", fmt.Sprintf("%v %q is invalid: %v", after["kind"], metaOf(after)["name"], err))
			return
		}
	}
	if r.URL.Query().Get("dryRun") == "All" {
		reply(w, http.StatusOK, after)
		return
	}
	s.patches++
	s.write(path, after, r.URL.Query().Get("fieldManager"), "Update")
	reply(w, http.StatusOK, s.objects[path])
}

func refuse(w http.ResponseWriter, code int, reason, message string) {
	reply(w, code, Object{
		"kind": "Status", "apiVersion": "v1", "metadata": Object{}, "status": "Failure", "message": message, "reason": reason, "code": code,
	})
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

// pathOf is where the API serves an object.
func pathOf(o Object) string {
	meta := metaOf(o)
	return fmt.Sprintf("/apis/%v/namespaces/%v/%ss/%v", o["apiVersion"], meta["namespace"], strings.ToLower(o["kind"].(string)), meta["name"])
}

func metaOf(o Object) Object { return o["metadata"].(Object) }

// clone copies through JSON, so that numbers are what a decoder makes of them.
func clone(o Object) Object {
	if o == nil {
		return nil
	}
	data, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var out Object
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return out
}

// record notes in metadata.managedFields that a writer set the fields in which after differs from before, and that nobody else
// holds them any longer.
func record(meta Object, manager, operation string, before, after any) {
	changed := difference(before, after)
	if len(changed) == 0 {
		return
	}
	var kept []any
	entries, _ := meta["managedFields"].([]any)
	mine := Object{}
	for _, e := range entries {
		entry := e.(Object)
		fields := entry["fieldsV1"].(Object)
		if entry["manager"] == manager && entry["operation"] == operation {
			mine = fields
			continue
		}
		if rest, any := without(fields, Object{"f:spec": changed}); any {
			entry["fieldsV1"] = rest
			kept = append(kept, entry)
		}
	}
	meta["managedFields"] = append(kept, Object{
		"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1",
		"fieldsV1": union(mine, Object{"f:spec": changed}),
	})
}

// difference is the set of fields in which two values differ. A list is one field, as the lists of routes are.
func difference(before, after any) Object {
	b, _ := before.(Object)
	a, ok := after.(Object)
	if !ok {
		return nil
	}
	out := Object{}
	for key, value := range a {
		if reflect.DeepEqual(b[key], value) {
			continue
		}
		if inner, isObject := value.(Object); isObject && len(inner) > 0 {
			out["f:"+key] = difference(b[key], value)
		} else {
			out["f:"+key] = Object{}
		}
	}
	return out
}

func union(a, b Object) Object {
	out := maps.Clone(a)
	for key, value := range b {
		inner, _ := out[key].(Object)
		if inner == nil {
			inner = Object{}
		}
		out[key] = union(inner, value.(Object))
	}
	return out
}

// without takes the leaves of b out of a, and says whether anything is left.
func without(a, b Object) (Object, bool) {
	out := Object{}
	for key, value := range a {
		gone, found := b[key].(Object)
		inner := value.(Object)
		switch {
		case !found:
			out[key] = inner
		case len(inner) > 0 && len(gone) > 0:
			if rest, any := without(inner, gone); any {
				out[key] = rest
			}
		}
	}
	return out, len(out) > 0
}
