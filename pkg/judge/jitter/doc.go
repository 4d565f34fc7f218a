// Package jitter says what the unusually slow first tokens of each arm look like: a cold start, something periodic, a glitch of one
// request, or nothing known. It is pure. It labels and never removes: gates see every request, whatever its label.
package jitter
