package config

import (
	"regexp"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// haproxyName is what HAProxy takes for the name of a backend or server.
var haproxyName = regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`)

func checkHAProxy(r *reporter, p path, route swap.Route) {
	h, section := *route.HAProxy, p.child("haproxy")
	socket := section.child("socket")
	network, address, _ := strings.Cut(h.Socket, "://")
	switch {
	case h.Socket == "" && route.AdminURL == "":
		r.value(section, "needs socket, or admin_url of the route for a Data Plane API")
	case h.Socket != "" && route.AdminURL != "":
		r.value(socket, "cannot stand beside admin_url: HAProxy is steered through its socket or through a Data Plane API")
	case h.Socket != "" && (network != "unix" && network != "tcp" || address == ""):
		r.value(socket, "must be unix:///path or tcp://host:port, got %s", show(socket, h.Socket))
	case network == "unix" && !strings.HasPrefix(address, "/"):
		r.value(socket, "must be an absolute path after unix://, got %s", show(socket, h.Socket))
	case h.Socket != "" && h.User != "":
		r.value(section.child("user"), "is for a Data Plane API; a socket knows no users")
	}
	checkHAProxyName(r, section.child("backend"), h.Backend)
	checkServers(r, section, h.Baseline, h.Candidate, func(p path, name string) {
		checkHAProxyName(r, p, strings.TrimSuffix(name, "*"))
	})
}

func checkHAProxyName(r *reporter, p path, name string) {
	if name != "" && !haproxyName.MatchString(name) {
		r.value(p, "is no name of HAProxy, got %s", show(p, name))
	}
}

// checkServers checks every server of both arms, and that none is in both.
func checkServers(r *reporter, section path, baseline, candidate []string, check func(path, string)) {
	in := map[string]bool{}
	for i, name := range baseline {
		in[name] = true
		check(section.child("baseline").child(i), name)
	}
	for i, name := range candidate {
		p := section.child("candidate").child(i)
		check(p, name)
		if in[name] {
			r.value(p, "is among the servers of the baseline too")
		}
	}
}
