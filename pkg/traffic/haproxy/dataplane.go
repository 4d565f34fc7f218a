package haproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// dataPlane is the Data Plane API, version 2 or 3. It keeps weights in HAProxy's configuration file, whose version guards every
// write, and hands them to the running process without a reload.
type dataPlane struct {
	api   *httpapi.Client
	route swap.HAProxy
	// v2 says that answers are wrapped and servers are found by a query.
	v2 bool
}

// OpenDataPlane returns the controller of a backend that is steered through the Data Plane API. The base of the API may end in
// /v2 or /v3; without either it is version 3.
func OpenDataPlane(route swap.HAProxy, api *httpapi.Client) (*Gateway, error) {
	if err := checkNames(route); err != nil {
		return nil, err
	}
	v2 := strings.HasSuffix(api.Base, "/v2")
	if !v2 && !strings.HasSuffix(api.Base, "/v3") {
		api.Base += "/v3"
	}
	if route.User != "" {
		api = api.WithUser(route.User)
	}
	return &Gateway{dataPlane{api, route, v2}}, nil
}

func (d dataPlane) where() string { return d.api.Base + " " + d.route.Backend }

func (d dataPlane) observe(ctx context.Context) (observation, error) {
	var version int64
	if err := d.get(ctx, "/configuration/version", nil, &version); err != nil {
		return observation{}, err
	}
	files, err := d.files(ctx)
	if err != nil {
		return observation{}, err
	}
	stat, err := d.statistics(ctx)
	if err != nil {
		return observation{}, err
	}
	for i, srv := range stat.servers {
		file, ok := files[srv.name]
		if !ok {
			return observation{}, fmt.Errorf("%w: server %s of backend %s is in no configuration file; the Data Plane API cannot keep its weight",
				traffic.ErrRefused, srv.name, d.route.Backend)
		}
		if stat.servers[i].weight, err = file.weight(); err != nil {
			return observation{}, fmt.Errorf("%w: server %s of backend %s: %w", traffic.ErrRefused, srv.name, d.route.Backend, err)
		}
	}
	return observe(d.route, stat, fmt.Sprintf("version=%d", version), version)
}

// file is a server as the configuration file has it: every field, because it is replaced as a whole.
type file map[string]json.RawMessage

// weight is 1 where the file has none, as it is for HAProxy.
func (f file) weight() (int, error) {
	raw, ok := f["weight"]
	if !ok {
		return 1, nil
	}
	var weight int
	if err := json.Unmarshal(raw, &weight); err != nil {
		return 0, fmt.Errorf("weight %s is no number", raw)
	}
	if weight < 0 || weight > maxWeight {
		return 0, fmt.Errorf("weight %d is not from 0 to %d", weight, maxWeight)
	}
	return weight, nil
}

// files are the servers of the backend by name.
func (d dataPlane) files(ctx context.Context) (map[string]file, error) {
	var list []file
	path, query := d.servers("")
	if err := d.get(ctx, path, query, &list); err != nil {
		return nil, err
	}
	out := map[string]file{}
	for _, f := range list {
		var name string
		if err := json.Unmarshal(f["name"], &name); err != nil {
			return nil, fmt.Errorf("%w: %s answered with a server without a name", traffic.ErrRefused, d.api.Base)
		}
		out[name] = f
	}
	return out, nil
}

// servers is where the configuration of servers is, or of one of them.
func (d dataPlane) servers(name string) (string, url.Values) {
	path, query := "/configuration/backends/"+d.route.Backend+"/servers", url.Values{}
	if d.v2 {
		path, query = "/configuration/servers", url.Values{"backend": {d.route.Backend}}
	}
	if name != "" {
		path += "/" + name
	}
	return path, query
}

// native are statistics as the API gives them; a field that HAProxy leaves out is nil.
type native struct {
	Name        string
	BackendName string `json:"backend_name"`
	Type        string
	Stats       struct {
		Algo, Status            string
		Weight, Bck, Throttle   *int64
		Scur, Stot, Econ, Eresp int64
		ReqTot                  *int64 `json:"req_tot"`
		Hrsp5xx                 int64  `json:"hrsp_5xx"`
	}
}

func (d dataPlane) statistics(ctx context.Context) (statistics, error) {
	var rows []native
	for _, query := range []url.Values{
		{"type": {"backend"}, "name": {d.route.Backend}}, {"type": {"server"}, "parent": {d.route.Backend}},
	} {
		some, err := d.rows(ctx, query)
		if err != nil {
			return statistics{}, err
		}
		rows = append(rows, some...)
	}
	var out statistics
	found := false
	for _, row := range rows {
		switch {
		case row.Type == "backend" && row.Name == d.route.Backend:
			out.algorithm, found = row.Stats.Algo, true
		case row.Type == "server" && row.BackendName == d.route.Backend:
			out.servers = append(out.servers, row.server())
		}
	}
	if !found {
		return out, fmt.Errorf("%w: HAProxy behind %s has no backend %s", traffic.ErrRefused, d.api.Base, d.route.Backend)
	}
	return out, nil
}

// collection is one process's statistics. Version 2 answers with a list of them, version 3 with one.
type collection struct {
	Error string
	Stats []native
}

func (d dataPlane) rows(ctx context.Context, query url.Values) ([]native, error) {
	data, err := d.do(ctx, http.MethodGet, "/stats/native", query, nil)
	if err != nil {
		return nil, err
	}
	one := make([]collection, 1)
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		err = json.Unmarshal(data, &one)
	} else {
		err = json.Unmarshal(data, &one[0])
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %s answered with no statistics: %w", traffic.ErrRefused, d.api.Base, err)
	case len(one) != 1:
		return nil, fmt.Errorf("%w: %d HAProxy processes with weights of their own are behind %s; use nbthread instead of nbproc",
			traffic.ErrRefused, len(one), d.api.Base)
	case one[0].Error != "":
		return nil, fmt.Errorf("%w: %s cannot ask HAProxy: %s", traffic.ErrUnreachable, d.api.Base, one[0].Error)
	}
	return one[0].Stats, nil
}

// server has no weight yet; inForce is none where HAProxy tells none.
func (n native) server() server {
	requests := n.Stats.Stot
	if n.Stats.ReqTot != nil {
		requests = *n.Stats.ReqTot
	}
	return server{
		name: n.Name, status: n.Stats.Status, inForce: int(orNone(n.Stats.Weight)),
		backup: orNone(n.Stats.Bck) > 0, starting: n.Stats.Throttle != nil && *n.Stats.Throttle < 100,
		counters: traffic.Counters{
			Requests: requests, Errors: n.Stats.Hrsp5xx + n.Stats.Econ + n.Stats.Eresp, InFlight: n.Stats.Scur,
		},
	}
}

func orNone(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// change replaces one server after the other, each on the condition that the configuration is still of the version that the
// write before left. When the file is as planned and only the process is not, HAProxy is made to load the file again.
func (d dataPlane) change(ctx context.Context, before observation, changes []change) error {
	files, err := d.files(ctx)
	if err != nil {
		return err
	}
	for i, c := range changes {
		server := files[c.server]
		if weight, err := server.weight(); err != nil || weight != c.from {
			return fmt.Errorf("%w at %s: server %s has weight %d and not %d", traffic.ErrConflict, d.api.Base, c.server, weight, c.from)
		}
		server["weight"] = fmt.Appendf(nil, "%d", c.to)
		body, err := json.Marshal(server)
		if err != nil {
			return err
		}
		path, query := d.servers(c.server)
		query.Set("version", fmt.Sprint(before.version+int64(i)))
		if _, err := d.do(ctx, http.MethodPut, path, query, body); err != nil {
			return err
		}
	}
	if len(changes) == 0 && before.astray() {
		return d.reload(ctx, before.version)
	}
	return nil
}

// astray says that a server runs with another weight than the configuration has for it, and not because it starts slowly.
func (o observation) astray() bool {
	for _, arm := range swap.Arms {
		for _, srv := range o.arms.Get(arm) {
			if srv.serves() && !srv.starting && srv.inForce != srv.weight {
				return true
			}
		}
	}
	return false
}

// reload commits an empty transaction, which makes HAProxy load its configuration file.
func (d dataPlane) reload(ctx context.Context, version int64) error {
	data, err := d.do(ctx, http.MethodPost, "/transactions", url.Values{"version": {fmt.Sprint(version)}}, nil)
	if err != nil {
		return err
	}
	var transaction struct{ ID string }
	if err := json.Unmarshal(data, &transaction); err != nil || transaction.ID == "" {
		return fmt.Errorf("%w: %s began a transaction without an id", traffic.ErrRefused, d.api.Base)
	}
	_, err = d.do(ctx, http.MethodPut, "/transactions/"+url.PathEscape(transaction.ID), url.Values{"force_reload": {"true"}}, nil)
	return err
}

// get reads one thing, out of its wrapping in version 2.
func (d dataPlane) get(ctx context.Context, path string, query url.Values, out any) error {
	data, err := d.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	if d.v2 && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var wrapped struct{ Data json.RawMessage }
		if err := json.Unmarshal(data, &wrapped); err == nil {
			data = wrapped.Data
		}
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%w: %s%s is not what the Data Plane API answers: %w", traffic.ErrRefused, d.api.Base, path, err)
	}
	return nil
}

func (d dataPlane) do(ctx context.Context, method, path string, query url.Values, body []byte) ([]byte, error) {
	path = "/services/haproxy" + path
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	data, err := d.api.Do(ctx, httpapi.Request{Method: method, Path: path, Body: body})
	var status *httpapi.StatusError
	if errors.As(err, &status) && status.Status == http.StatusNotAcceptable { // a transaction that another one made outdated
		err = fmt.Errorf("%w: %s", traffic.ErrConflict, status.Message)
	}
	return data, err
}
