package main

import "strings"

// environ is a process environment, as "name=value".
type environ []string

// Environ returns all variables.
func (e environ) Environ() []string { return e }

// LookupEnv returns the value of a variable; the last one of a name counts.
func (e environ) LookupEnv(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// first returns the value of the first of the named variables that is set and not empty.
func (e environ) first(names ...string) string {
	for _, n := range names {
		if v, _ := e.LookupEnv(n); v != "" {
			return v
		}
	}
	return ""
}
