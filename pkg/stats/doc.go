// Package stats holds the statistics that verdicts rest on. Every function is pure: the same input and seed give the
// same output, and nothing is read from or written to the outside.
package stats
