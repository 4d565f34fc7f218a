package haproxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// fakeAPI answers as the Data Plane API does, by its specification (2.9 and 3.4): answers of version 2 are wrapped, every write
// needs the version of the configuration and raises it, and a transaction that is committed loads the configuration.
type fakeAPI struct {
	mu      sync.Mutex
	v2      bool
	version int
	// file and process hold the weights, which differ where a write does not reach the process.
	file, process map[string]int
	unapplied     bool
	status        string
	transaction   int
	writes        []string
	// before is called ahead of every write.
	before func(*fakeAPI)
	commit int
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	user, password, _ := r.BasicAuth()
	if user != "swapgate" || password != "s3cret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	path, found := strings.CutPrefix(r.URL.Path, map[bool]string{true: "/v2", false: "/v3"}[f.v2]+"/services/haproxy")
	if !found {
		fail(w, 404, "not found")
		return
	}
	if r.Method != http.MethodGet {
		f.writes = append(f.writes, r.Method+" "+path)
		if f.before != nil {
			f.before(f)
		}
	}
	list, one := "/configuration/backends/llm/servers", ""
	if f.v2 {
		list = "/configuration/servers"
	}
	one, isServer := strings.CutPrefix(path, list+"/")
	switch {
	case path == "/configuration/version":
		_, _ = fmt.Fprint(w, f.version)
	case path == "/stats/native":
		f.statistics(w, r.URL.Query().Get("type"))
	case path == list && (!f.v2 || r.URL.Query().Get("backend") == "llm"):
		f.servers(w)
	case isServer:
		f.replace(w, r, one)
	case path == "/transactions":
		f.begin(w, r)
	case path == "/transactions/t1":
		f.load(w, r)
	default:
		fail(w, 404, "not found")
	}
}

func fail(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": status, "message": message})
}

func (f *fakeAPI) servers(w io.Writer) {
	list := []map[string]any{
		{"name": "blue", "address": "10.0.0.1", "port": 8000, "check": "enabled", "weight": f.file["blue"]},
		{"name": "green", "address": "10.0.0.2", "port": 8000, "weight": f.file["green"]},
	}
	if f.v2 {
		_ = json.NewEncoder(w).Encode(map[string]any{"_version": f.version, "data": list})
		return
	}
	_ = json.NewEncoder(w).Encode(list)
}

func (f *fakeAPI) statistics(w io.Writer, kind string) {
	rows := []map[string]any{}
	if kind == "backend" {
		rows = append(rows, map[string]any{"name": "llm", "type": "backend", "stats": map[string]any{"algo": "roundrobin", "weight": 100}})
	} else {
		for _, name := range []string{"blue", "green"} {
			rows = append(rows, map[string]any{"name": name, "backend_name": "llm", "type": "server", "stats": map[string]any{
				"status": f.status, "weight": f.process[name], "bck": 0, "req_tot": 10, "hrsp_5xx": 1, "econ": 2, "eresp": 3, "scur": 4, "stot": 11,
			}})
		}
	}
	one := map[string]any{"runtimeAPI": "/run/haproxy.sock", "stats": rows}
	if f.v2 {
		_ = json.NewEncoder(w).Encode([]any{one})
		return
	}
	_ = json.NewEncoder(w).Encode(one)
}

func (f *fakeAPI) replace(w http.ResponseWriter, r *http.Request, name string) {
	var body struct {
		Name, Address string
		Port, Weight  int
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Name != name || body.Address == "" || body.Port != 8000 {
		fail(w, 400, "a server is replaced as a whole")
		return
	}
	if r.URL.Query().Get("version") != strconv.Itoa(f.version) {
		fail(w, 409, "version in configuration file is another one")
		return
	}
	f.version++
	f.file[name] = body.Weight
	if f.unapplied {
		w.WriteHeader(http.StatusAccepted)
	} else {
		f.process[name] = body.Weight
	}
	_ = json.NewEncoder(w).Encode(body)
}

func (f *fakeAPI) begin(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("version") != strconv.Itoa(f.version) {
		fail(w, 409, "version in configuration file is another one")
		return
	}
	f.transaction = f.version
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"_version":%d,"id":"t1","status":"in_progress"}`, f.version)
}

func (f *fakeAPI) load(w http.ResponseWriter, r *http.Request) {
	if f.transaction != f.version {
		fail(w, 406, "transaction t1 is outdated and cannot be committed")
		return
	}
	if r.URL.Query().Get("force_reload") != "true" {
		fail(w, 400, "nobody waits for the reload")
		return
	}
	f.version++
	f.commit++
	f.process = map[string]int{"blue": f.file["blue"], "green": f.file["green"]}
	_, _ = fmt.Fprintf(w, `{"_version":%d,"id":"t1","status":"success"}`, f.version)
}

// dataPlaneOf returns a fake API and its controller.
func dataPlaneOf(t *testing.T, v2 bool) (*fakeAPI, *Gateway) {
	t.Helper()
	f := &fakeAPI{
		v2: v2, version: 41, status: "UP", file: map[string]int{"blue": 100, "green": 0}, process: map[string]int{"blue": 100, "green": 0},
	}
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	base := srv.URL
	if v2 {
		base += "/v2/"
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	api, err := httpapi.New(base, "s3cret", &http.Client{Transport: transport})
	require.NoError(t, err)
	g, err := OpenDataPlane(swap.HAProxy{Backend: "llm", Baseline: []string{"blue"}, Candidate: []string{"green"}, User: "swapgate"}, api)
	require.NoError(t, err)
	return f, g
}

func TestDataPlane(t *testing.T) {
	for name, v2 := range map[string]bool{"version 2": true, "version 3": false} {
		t.Run(name, func(t *testing.T) {
			f, g := dataPlaneOf(t, v2)
			before, err := g.Read(t.Context())
			require.NoError(t, err)
			require.Equal(t, traffic.State{Weights: swap.AllBaseline, Version: "version=41 blue=100 green=0"}, before)
			state, err := g.Apply(t.Context(), weights(5))
			require.NoError(t, err)
			require.Equal(t, weights(5), state.Weights)
			require.Equal(t, map[string]int{"blue": 95, "green": 5}, f.process)
			require.Equal(t, 43, f.version)
			again, err := g.Apply(t.Context(), weights(5))
			require.NoError(t, err)
			require.Equal(t, state, again)
			require.Len(t, f.writes, 2)
			require.Contains(t, f.writes[0], "green", "what rises comes first")
			require.Zero(t, f.commit, "nothing is reloaded")
			counters, ok, err := g.Counters(t.Context())
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, traffic.Counters{Requests: 10, Errors: 6, InFlight: 4}, counters.Candidate)
		})
	}
}

func TestDataPlaneMeetsOtherWriters(t *testing.T) {
	for name, intrude := range map[string]func(f *fakeAPI){
		"before the first write": func(f *fakeAPI) { f.version++ },
		"between the writes": func(f *fakeAPI) {
			if len(f.writes) == 2 {
				f.version++
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, g := dataPlaneOf(t, false)
			f.before = intrude
			_, err := g.Apply(t.Context(), weights(5))
			require.ErrorIs(t, err, traffic.ErrConflict)
			f.before = nil
			_, err = g.Apply(t.Context(), weights(5))
			require.NoError(t, err)
		})
	}
	f, g := dataPlaneOf(t, false)
	f.process["blue"] = 50
	f.before = func(f *fakeAPI) {
		if len(f.writes) == 2 {
			f.version++
		}
	}
	_, err := g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err, "all on the baseline is so with any weight")
	f.process["green"] = 50
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.ErrorIs(t, err, traffic.ErrConflict, "a transaction that became outdated")
}

func TestDataPlaneLoadsTheFileWhereTheProcessDiffers(t *testing.T) {
	f, g := dataPlaneOf(t, false)
	f.unapplied = true
	state, err := g.Apply(t.Context(), weights(5))
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.Contains(t, state.Pending, "server blue runs with weight 100 instead of 95")
	state, err = g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
	require.Empty(t, state.Pending)
	require.Equal(t, 1, f.commit)
}

func TestDataPlaneSaysWhatIsWrong(t *testing.T) {
	f, g := dataPlaneOf(t, false)
	f.status = "DOWN"
	_, err := g.Apply(t.Context(), weights(5))
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "no server of the baseline serves")

	for name, tc := range map[string]struct {
		path, reply string
		want        error
		text        string
	}{
		"no version":        {"/configuration/version", `{"a":1}`, traffic.ErrRefused, "not what the Data Plane API answers"},
		"no servers":        {"/configuration/backends/llm/servers", `[{"port":1}]`, traffic.ErrRefused, "a server without a name"},
		"impossible weight": {"/configuration/backends/llm/servers", `[{"name":"b","weight":300}]`, traffic.ErrRefused, "not from 0 to 256"},
		"no number":         {"/configuration/backends/llm/servers", `[{"name":"b","weight":"x"}]`, traffic.ErrRefused, "is no number"},
		"runtime server":    {"/configuration/backends/llm/servers", `[]`, traffic.ErrRefused, "is in no configuration file"},
		"no statistics":     {"/stats/native", `"x"`, traffic.ErrRefused, "no statistics"},
		"no backend":        {"/stats/native", `{"stats":[]}`, traffic.ErrRefused, "has no backend llm"},
		"several processes": {"/stats/native", `[{"stats":[]},{"stats":[]}]`, traffic.ErrRefused, "2 HAProxy processes"},
		"HAProxy is gone":   {"/stats/native", `{"error":"dial: no such file"}`, traffic.ErrUnreachable, "cannot ask HAProxy: dial"},
	} {
		t.Run(name, func(t *testing.T) {
			const backend = `{"name":"llm","type":"backend","stats":{"algo":"roundrobin"}}`
			const server = `{"name":"b","backend_name":"llm","type":"server","stats":{"status":"UP","weight":1}}`
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				replies := map[string]string{
					"/configuration/version": "1", "/configuration/backends/llm/servers": `[{"name":"b"}]`,
					"/stats/native": `{"stats":[` + backend + "," + server + `]}`, tc.path: tc.reply,
				}
				_, _ = io.WriteString(w, replies[strings.TrimPrefix(r.URL.Path, "/v3/services/haproxy")])
			}))
			defer srv.Close()
			defer srv.Client().CloseIdleConnections()
			api, err := httpapi.New(srv.URL, "", srv.Client())
			require.NoError(t, err)
			g, err := OpenDataPlane(swap.HAProxy{Backend: "llm", Baseline: []string{"b"}, Candidate: []string{"c"}}, api)
			require.NoError(t, err)
			_, err = g.Read(t.Context())
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, tc.text)
		})
	}
}
