package config

// badRouteKinds are gateways of Kubernetes, LiteLLM, webhooks and commands that cannot be steered as they are written.
var badRouteKinds = []badFile{
	{
		name:  "http_route without its section",
		added: "rollout: {route: {kind: http_route, url: http://g}}",
		want: []string{
			"swap.yaml:5:18: rollout.route: needs the section http_route, which says what a gateway of kind http_route needs",
		},
	},
	{
		name: "one backend for both arms",
		added: `rollout:
  route: {kind: http_route, url: http://g, http_route: {namespace: prod, name: r, baseline: b, candidate: b}}`,
		want: []string{
			"swap.yaml:6:107: rollout.route.http_route.candidate: is the backend of the baseline too; the candidate needs its own",
		},
	},
	{
		name: "one destination for both arms",
		added: `rollout:
  route:
    kind: virtual_service
    url: http://g
    virtual_service: {namespace: prod, name: r, baseline: {host: h}, candidate: {host: h}}`,
		want: []string{
			"swap.yaml:9:81: rollout.route.virtual_service.candidate: is the destination of the baseline too; the candidate needs its own",
		},
	},
	{
		name:  "litellm without its API",
		added: "rollout: {route: {kind: litellm, url: http://g, litellm: {model: m, baseline: a, candidate: b}}}",
		want: []string{
			"swap.yaml:5:18: rollout.route: needs admin_url: the gateway of kind litellm is steered through its admin API",
		},
	},
	{
		name: "an authority that there is no use for",
		added: "rollout: {route: {kind: litellm, url: http://g, admin_url: http://l, admin_ca: /ca, " +
			"litellm: {model: m, baseline: a, candidate: b}}}",
		want: []string{
			"swap.yaml:5:80: rollout.route.admin_ca: needs an admin_url that starts with https://",
		},
	},
	{
		name:  "an authority that is no file of the worker",
		added: "rollout: {route: {kind: webhook, url: http://g, admin_url: https://w, admin_ca: ca.pem}}",
		want: []string{
			`swap.yaml:5:81: rollout.route.admin_ca: must be an absolute path, got "ca.pem"`,
		},
	},
	{
		name: "a webhook of another kind, and a token without an address",
		added: `rollout:
  route: {kind: command, url: http://g, admin_token: {env: T}, webhook: {target: x}}`,
		want: []string{
			"swap.yaml:6:54: rollout.route.admin_token: needs admin_url beside it",
			"swap.yaml:6:73: rollout.route.webhook: is for a route of kind webhook, but this one is of kind command",
		},
	},
	{
		name: "a command that is more than a name",
		added: `rollout:
  route: {kind: command, url: http://g, admin_url: http://g:1, command: {name: "sh -c id"}}`,
		want: []string{
			"swap.yaml:6:52: rollout.route.admin_url: is for kinds that have an admin API; a command has none",
			"swap.yaml:6:80: rollout.route.command.name: must be 1 to 62 lower-case letters, digits and hyphens, with a letter or digit at " +
				"both ends, got \"sh -c id\"",
		},
	},
}
