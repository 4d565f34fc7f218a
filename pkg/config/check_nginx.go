package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// nginxWord is a word of NGINX's configuration that needs no quotes.
var nginxWord = regexp.MustCompile(`^[^\s{};#"'\\]+$`)

// nginxBalancers are the directives of an upstream that split requests by something else than weights alone.
var nginxBalancers = []string{"hash", "ip_hash", "least_conn", "least_time", "random", "sticky"}

func checkNGINX(r *reporter, section path, n swap.NGINX) {
	if p := section.child("upstream"); n.Upstream != "" && !nginxWord.MatchString(n.Upstream) {
		r.value(p, "is no name of an upstream, got %s", show(p, n.Upstream))
	}
	checkServers(r, section, n.Baseline, n.Candidate, func(p path, address string) {
		if !nginxWord.MatchString(address) {
			r.value(p, "is no address of a server, got %s", show(p, address))
		}
	})
	for i, d := range n.Directives {
		p, words := section.child("directives").child(i), strings.Fields(d)
		switch {
		case len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return !nginxWord.MatchString(w) }):
			r.value(p, "must be one directive without ; at its end, got %s", show(p, d))
		case strings.Join(words, " ") != d:
			r.value(p, "must have one space between words, got %s", show(p, d))
		case slices.Contains(nginxBalancers, words[0]):
			r.value(p, "%s splits requests by something else than weights, so no share is exact", words[0])
		case words[0] == "server" || words[0] == "zone":
			r.value(p, "is written by swapgate itself")
		}
	}
}
