package haproxy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/traffic"
)

// Types of rows in the statistics, as HAProxy numbers them.
const (
	rowBackend = "1"
	rowServer  = "2"
)

// maxWeight is the greatest weight of a server.
const maxWeight = 256

// server is one server of the backend as HAProxy says it is.
type server struct {
	name   string
	status string
	// weight is what was set; inForce what the balancer uses, which is less while a server starts slowly.
	weight  int
	inForce int
	// backup servers serve when no other can.
	backup   bool
	starting bool
	counters traffic.Counters
}

// serves says whether the balancer gives the server requests at all, should it have weight: its checks are well or it has none,
// and nobody took it out.
func (s server) serves() bool {
	return s.status == "no check" || s.status == "UP" || strings.HasPrefix(s.status, "UP ")
}

// statistics are what HAProxy says of one backend.
type statistics struct {
	algorithm string
	servers   []server
}

// parseStat reads the CSV of "show stat" for one backend. Its columns are found by name: later versions add some.
func parseStat(text string) (statistics, error) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "# ")))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil {
		return statistics{}, fmt.Errorf("statistics without a header: %w", err)
	}
	column := map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	for _, name := range []string{"svname", "status", "weight", "uweight", "bck", "type", "algo", "throttle"} {
		if _, ok := column[name]; !ok {
			return statistics{}, fmt.Errorf("statistics without column %s: HAProxy 2.4 or later is needed", name)
		}
	}
	var out statistics
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return statistics{}, err
		}
		if err := out.add(row{column, fields}); err != nil {
			return statistics{}, err
		}
	}
}

func (s *statistics) add(r row) error {
	switch r.text("type") {
	case rowBackend:
		s.algorithm = r.text("algo")
	case rowServer:
		srv, err := r.server()
		if err != nil {
			return fmt.Errorf("server %q: %w", r.text("svname"), err)
		}
		s.servers = append(s.servers, srv)
	}
	return nil
}

// row is one line of the statistics.
type row struct {
	column map[string]int
	fields []string
}

// text is empty for a column that is missing or has no value.
func (r row) text(name string) string {
	if i, ok := r.column[name]; ok && i < len(r.fields) {
		return r.fields[i]
	}
	return ""
}

// count is 0 where the column has no value: HAProxy leaves out what a kind of server does not count.
func (r row) count(name string) (int64, error) {
	text := r.text(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("column %s: %q is no count", name, text)
	}
	return n, nil
}

func (r row) server() (server, error) {
	names := []string{"uweight", "weight", "bck", "req_tot", "hrsp_5xx", "econ", "eresp", "scur"}
	n := map[string]int64{}
	for _, name := range names {
		var err error
		if n[name], err = r.count(name); err != nil {
			return server{}, err
		}
	}
	if n["uweight"] > maxWeight || n["weight"] > maxWeight {
		return server{}, fmt.Errorf("weight %d is above %d", max(n["uweight"], n["weight"]), maxWeight)
	}
	requests := n["req_tot"]
	if r.text("req_tot") == "" { // a backend in mode tcp
		var err error
		if requests, err = r.count("stot"); err != nil {
			return server{}, err
		}
	}
	return server{
		name: r.text("svname"), status: r.text("status"), weight: int(n["uweight"]), inForce: int(n["weight"]),
		backup: n["bck"] > 0, starting: r.text("throttle") != "",
		counters: traffic.Counters{Requests: requests, Errors: n["hrsp_5xx"] + n["econ"] + n["eresp"], InFlight: n["scur"]},
	}, nil
}
