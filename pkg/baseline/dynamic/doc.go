// Package dynamic measures side by side what the options for a moving baseline are worth: how often each calls a healthy window
// unusual, and how long each takes to notice a change. It has no code but its test; the table is in docs/baselines.md, and
//
//	go test ./pkg/baseline/dynamic -run Detection -v -update
//
// writes it anew.
package dynamic
