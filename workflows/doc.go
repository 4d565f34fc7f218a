// Package workflows says what happens in a run and in which order: nothing else. Workflow code is deterministic: it holds
// no I/O, no clock, no randomness and no statistics; it compares numbers and decisions that activities returned.
package workflows
