package main

import (
	"os"
	"os/user"
)

// requestedBy says who asks, where the command line does not: the person behind a pipeline, else user@host.
func (a *app) requestedBy() string {
	actor := a.env.first("GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILDKITE_BUILD_CREATOR", "CIRCLE_USERNAME", "BUILD_REQUESTEDFOR")
	if actor != "" {
		return actor
	}
	name := a.env.first("USER", "LOGNAME")
	if name == "" {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}
