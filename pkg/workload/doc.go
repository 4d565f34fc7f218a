// Package workload decides what is asked. A Generator is a pure function of the workload's settings: the same stream and
// index always give the same prompts, lengths and pauses, on either arm and on any worker.
package workload
