package haproxy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// observation is what was seen of the backend at one time.
type observation struct {
	statistics
	arms swap.PerArm[[]server]
	// strangers are in neither arm.
	strangers []server
	// process identifies the process that answered; version is that of the configuration file, where the API has one.
	process string
	version int64
}

// observe sorts the servers of a backend into arms.
func observe(route swap.HAProxy, s statistics, process string, version int64) (observation, error) {
	o := observation{statistics: s, process: process, version: version}
	switch s.algorithm {
	case "roundrobin":
	case "":
		return o, fmt.Errorf("%w: the socket does not tell how backend %s balances; it must be of level admin", traffic.ErrRefused, route.Backend)
	default:
		return o, fmt.Errorf("%w: backend %s balances with %s, which gives no exact shares; use balance roundrobin",
			traffic.ErrRefused, route.Backend, s.algorithm)
	}
	for _, srv := range s.servers {
		b, c := named(route.Baseline, srv.name), named(route.Candidate, srv.name)
		switch {
		case b && c:
			return o, fmt.Errorf("%w: server %s of backend %s is in both arms", traffic.ErrRefused, srv.name, route.Backend)
		case (b || c) && srv.backup:
			return o, fmt.Errorf("%w: server %s of backend %s is a backup server, which has no share", traffic.ErrRefused, srv.name, route.Backend)
		case b:
			o.arms.Baseline = append(o.arms.Baseline, srv)
		case c:
			o.arms.Candidate = append(o.arms.Candidate, srv)
		default:
			o.strangers = append(o.strangers, srv)
		}
	}
	return o, o.complete(route)
}

// complete insists that every name stands for a server.
func (o observation) complete(route swap.HAProxy) error {
	names := make([]string, len(o.servers))
	for i, srv := range o.servers {
		names[i] = srv.name
	}
	for _, want := range slices.Concat(route.Baseline, route.Candidate) {
		if !slices.ContainsFunc(names, func(name string) bool { return named([]string{want}, name) }) {
			return fmt.Errorf("%w: backend %s has no server %s; it has %s", traffic.ErrRefused, route.Backend, want, strings.Join(names, ", "))
		}
	}
	return nil
}

// named says whether a server is among names, of which those that end in * stand for a beginning.
func named(names []string, server string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			return strings.HasPrefix(server, prefix)
		}
		return name == server
	})
}

// state is the shares that the weights say, and whether the backend follows them.
func (o observation) state() traffic.State {
	set, inUse := o.sums(func(s server) int { return s.weight }), o.sums(server.inUse)
	percent, exact := traffic.SharesOf(set)
	var problems []string
	if !exact {
		problems = append(problems, fmt.Sprintf("weights %d:%d are no whole percentages", set.Baseline, set.Candidate))
	}
	if !sameShares(inUse, set) {
		problems = append(problems, o.outOfUse()...)
	}
	if set.Candidate > 0 {
		problems = append(problems, o.taking()...)
	}
	return traffic.State{Weights: percent, Version: o.fingerprint(), Pending: strings.Join(problems, "; ")}
}

func (o observation) sums(weight func(server) int) swap.PerArm[int64] {
	var sums swap.PerArm[int64]
	for _, arm := range swap.Arms {
		for _, srv := range o.arms.Get(arm) {
			*sums.Ptr(arm) += int64(weight(srv))
		}
	}
	return sums
}

// fingerprint tells one state from another: HAProxy has no versions.
func (o observation) fingerprint() string {
	parts := []string{o.process}
	for _, arm := range swap.Arms {
		for _, srv := range o.arms.Get(arm) {
			parts = append(parts, fmt.Sprintf("%s=%d", srv.name, srv.weight))
		}
	}
	return strings.Join(parts, " ")
}

// taking names the servers of neither arm that take requests. They matter only while the candidate has traffic: nothing else
// may keep a rollback from being done.
func (o observation) taking() []string {
	var out []string
	for _, srv := range o.strangers {
		if !srv.backup && srv.inUse() > 0 {
			out = append(out, fmt.Sprintf("server %s is in neither arm and takes requests", srv.name))
		}
	}
	return out
}

// inUse is the weight with which a server takes requests now.
func (s server) inUse() int {
	if !s.serves() {
		return 0
	}
	return s.inForce
}

// outOfUse names the servers that do not take what their weights say.
func (o observation) outOfUse() []string {
	var out []string
	for _, arm := range swap.Arms {
		for _, srv := range o.arms.Get(arm) {
			switch {
			case srv.inUse() == srv.weight:
			case srv.starting:
				out = append(out, fmt.Sprintf("server %s starts slowly and has weight %d of %d so far", srv.name, srv.inForce, srv.weight))
			case !srv.serves():
				out = append(out, fmt.Sprintf("server %s is %s", srv.name, srv.status))
			default:
				out = append(out, fmt.Sprintf("server %s runs with weight %d instead of %d", srv.name, srv.inForce, srv.weight))
			}
		}
	}
	return out
}

// sameShares says whether two pairs of weights split requests the same way.
func sameShares(a, b swap.PerArm[int64]) bool {
	return a.Baseline+a.Candidate > 0 && b.Baseline+b.Candidate > 0 && a.Baseline*b.Candidate == b.Baseline*a.Candidate
}
