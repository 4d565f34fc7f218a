package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mode is how a fake engine behaves when it is told to load.
type mode string

const (
	honest      mode = "honest"
	lie         mode = "lie"         // names the new model, answers with the old weights
	slow        mode = "slow"        // replies at once, is done three looks later
	late        mode = "late"        // as slow, and never done
	unsupported mode = "unsupported" // knows no admin route
	broken      mode = "broken"      // 500
	refusing    mode = "refusing"    // the engine's own refusal, in the status or in the body of a 200
	hanging     mode = "hanging"     // never replies
	cut         mode = "cut"         // ends the connection, and carries it out
)

// fake is one engine with its weights known. Each of the engines below puts its interface before it.
type fake struct {
	t    *testing.T
	mu   sync.Mutex
	mode mode
	// weights are what answers to a name; listed what the engine says of it.
	weights, listed map[string]string
	// coming is what is listed and answers after so many looks.
	coming func()
	looks  int
	calls  []string
	// asleep is vLLM's state, stored what Ollama has, noChecksum an SGLang without the route.
	asleep     bool
	stored     []string
	noChecksum bool
}

func newFake(t *testing.T, m mode, serves swap.InPlaceModel) *fake {
	t.Helper()
	f := &fake{t: t, mode: m, weights: map[string]string{}, listed: map[string]string{}}
	f.apply(serves)
	return f
}

// apply makes a model served.
func (f *fake) apply(m swap.InPlaceModel) { f.weights[m.Name], f.listed[m.Name] = source(m), source(m) }

// source is what tells a model's weights.
func source(m swap.InPlaceModel) string { return m.Name + m.Path + m.Version }

// load carries a load out as the mode wants. replaces says that the engine then serves nothing else.
func (f *fake) load(w http.ResponseWriter, r *http.Request, m swap.InPlaceModel, replaces bool, ok any) {
	done := func() {
		if replaces {
			clear(f.listed)
			clear(f.weights)
		}
		f.apply(m)
	}
	switch f.mode {
	case broken:
		reply(w, 500, map[string]any{"error": map[string]any{"message": "out of memory"}})
		return
	case refusing:
		reply(w, 200, map[string]any{"success": false, "message": "the shapes differ"})
		return
	case hanging:
		f.mu.Unlock()
		<-r.Context().Done()
		f.mu.Lock()
		return
	case cut:
		done()
		panic(http.ErrAbortHandler)
	case lie:
		old := ""
		for _, weights := range f.weights {
			old = weights
		}
		done()
		f.weights[m.Name] = old
	case slow:
		f.coming, f.looks = done, 3
	case late:
		f.coming, f.looks = done, 1<<30
	default:
		done()
	}
	reply(w, 200, ok)
}

// look is called by every handler that only asks.
func (f *fake) look() {
	if f.coming == nil {
		return
	}
	if f.looks--; f.looks < 0 {
		f.coming()
		f.coming = nil
	}
}

func (f *fake) set(m mode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mode = m
}

func (f *fake) is(m mode) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mode == m
}

// serving are the weights by the names that clients ask for.
func (f *fake) serving() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.weights)
}

func (f *fake) sleeps() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asleep
}

// unload takes a name out of service, or what is coming.
func (f *fake) unload(name string) {
	f.coming = nil
	delete(f.listed, name)
	delete(f.weights, name)
}

// ask answers golden prompts with the weights that answer to the name.
func (f *fake) ask(_ context.Context, model string) (Answers, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	weights, ok := f.weights[model]
	if !ok || f.asleep {
		return Answers{}, fmt.Errorf("%w: no such model", ErrUnreachable)
	}
	return Answers{Texts: []string{"one " + weights, "two"}, Fingerprint: "fp"}, nil
}

func (f *fake) called(path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, c := range f.calls {
		if strings.Contains(c, path) {
			n++
		}
	}
	return n
}

// serve puts the interface of one engine before the fake.
func (f *fake) serve(routes map[string]func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any)) string {
	mux := http.NewServeMux()
	for pattern, handle := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			_ = json.NewDecoder(r.Body).Decode(&body)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.calls = append(f.calls, r.Method+" "+r.URL.RequestURI())
			if r.Header.Get("Authorization") != "Bearer hush" {
				reply(w, 401, map[string]any{"error": "no entry for " + r.Header.Get("Authorization")})
				return
			}
			handle(f, w, r, body)
		})
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.is(unsupported) {
			reply(w, 404, map[string]any{"detail": "Not Found"})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	f.t.Cleanup(srv.Close)
	return srv.URL
}

func reply(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	if text, ok := v.(string); ok {
		_, _ = w.Write([]byte(text))
		return
	}
	_ = json.NewEncoder(w).Encode(v)
}

func text(body map[string]any, key string) string {
	s, _ := body[key].(string)
	return s
}

// open is the engine under test, which looks often.
func (f *fake) open(method swap.InPlaceMethod, url string, change func(*Options)) *Engine {
	f.t.Helper()
	hc := &http.Client{Transport: &http.Transport{}}
	f.t.Cleanup(hc.CloseIdleConnections)
	o := Options{
		Method: method, URL: url + "/", Token: "hush", Timeout: time.Minute, Ask: f.ask, AllowUnsafe: true, HTTP: hc,
		poll: 2 * time.Millisecond, patience: time.Minute,
	}
	if change != nil {
		change(&o)
	}
	e, err := Open(o)
	require.NoError(f.t, err)
	return e
}

type routes = map[string]func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any)

func (f *fake) names() []string {
	var names []string
	for name := range f.listed {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// cards is /v1/models, with the adapters of vLLM as it lists them.
func cards(f *fake, w http.ResponseWriter, _ *http.Request, _ map[string]any) {
	f.look()
	data := []map[string]any{}
	for _, name := range f.names() {
		data = append(data, map[string]any{"id": name, "root": strings.TrimPrefix(f.listed[name], name), "parent": "base"})
	}
	reply(w, 200, map[string]any{"object": "list", "data": data})
}
