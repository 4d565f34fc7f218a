package config

// badRoutes are gateways that lack what their kind needs, or say what another kind needs.
var badRoutes = []badFile{
	{
		name: "a section of another kind",
		added: "rollout: {route: {kind: swapgate, url: http://g, admin_url: http://g:1, haproxy: {socket: tcp://h:1, backend: b, " +
			"baseline: [s1], candidate: [s2]}}}",
		want: []string{
			"swap.yaml:5:82: rollout.route.haproxy: is for a route of kind haproxy, but this one is of kind swapgate",
		},
	},
	{
		name:  "haproxy without its section",
		added: "rollout: {route: {kind: haproxy, url: http://g}}",
		want: []string{
			"swap.yaml:5:18: rollout.route: needs the section haproxy, which says what a gateway of kind haproxy needs",
		},
	},
	{
		name:  "haproxy without a way in",
		added: "rollout: {route: {kind: haproxy, url: http://g, haproxy: {backend: llm, baseline: [s1], candidate: [s2]}}}",
		want: []string{
			"swap.yaml:5:58: rollout.route.haproxy: needs socket, or admin_url of the route for a Data Plane API",
		},
	},
	{
		name: "haproxy with two ways in, and names that would be commands",
		added: `rollout:
  route:
    kind: haproxy
    url: http://g
    admin_url: http://h:5555
    haproxy: {socket: tcp://h:1, backend: "a b", baseline: ["x;quit"], candidate: [s*]}`,
		want: []string{
			"swap.yaml:10:23: rollout.route.haproxy.socket: cannot stand beside admin_url: HAProxy is steered through its socket or through " +
				"a Data Plane API",
			"swap.yaml:10:43: rollout.route.haproxy.backend: is no name of HAProxy, got \"a b\"",
			"swap.yaml:10:61: rollout.route.haproxy.baseline[0]: is no name of HAProxy, got \"x;quit\"",
		},
	},
	{
		name: "haproxy with a socket that is no path, and a user",
		added: "rollout: {route: {kind: haproxy, url: http://g, haproxy: {socket: unix://run/a.sock, user: u, backend: b, " +
			"baseline: [s1], candidate: [s1]}}}",
		want: []string{
			"swap.yaml:5:67: rollout.route.haproxy.socket: must be an absolute path after unix://, got \"unix://run/a.sock\"",
			"swap.yaml:5:135: rollout.route.haproxy.candidate[0]: is among the servers of the baseline too",
		},
	},
	{
		name: "nginx with what cannot stand in an upstream",
		added: `rollout:
  route:
    kind: nginx
    url: http://g
    nginx: {file: /f, upstream: "l m", baseline: ["a:1"], candidate: ["a:1", "b:1;"], ` +
			`directives: ["keepalive 2;", ip_hash, "a  b", zone x 1k]}`,
		want: []string{
			`swap.yaml:9:33: rollout.route.nginx.upstream: is no name of an upstream, got "l m"`,
			`swap.yaml:9:71: rollout.route.nginx.candidate[0]: is among the servers of the baseline too`,
			`swap.yaml:9:78: rollout.route.nginx.candidate[1]: is no address of a server, got "b:1;"`,
			`swap.yaml:9:100: rollout.route.nginx.directives[0]: must be one directive without ; at its end, got "keepalive 2;"`,
			`swap.yaml:9:116: rollout.route.nginx.directives[1]: ip_hash splits requests by something else than weights, so no share is exact`,
			`swap.yaml:9:125: rollout.route.nginx.directives[2]: must have one space between words, got "a  b"`,
			`swap.yaml:9:133: rollout.route.nginx.directives[3]: is written by swapgate itself`,
		},
	},
}
