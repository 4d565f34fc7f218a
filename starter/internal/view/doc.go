// Package view turns what is known of a run into text for a terminal, for a pipeline's log and for `swapgate status`.
package view
