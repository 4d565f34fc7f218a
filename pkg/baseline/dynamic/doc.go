// Package dynamic measures side by side what the options for a moving baseline are worth: how often each calls a healthy window
// unusual, and how long each takes to notice a change. It has no code but its test; the table is in docs/baselines.md, and
//
//	go test -tags simulation ./pkg/baseline/dynamic -run Characteristics -v -update
//
// writes it anew.
package dynamic
