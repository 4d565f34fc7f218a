// Package control starts, observes and steers swapgate's workflows through a Temporal client. It knows the wire contract
// of package swap and nothing of the command line.
package control
