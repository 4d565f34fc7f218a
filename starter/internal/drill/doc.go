// Package drill breaks things in the middle of real runs and checks that live traffic ends where it must. Every run has a site of
// its own on this machine: a Temporal server, a store, workers, two simulated models and a gateway. Which fault strikes, and when,
// depends on a seed.
package drill
