// Package instrument says how well the load client measures. It has three parts: Watch looks at the client's process, Tally
// at its records, and Judge decides from both whether the client can be believed. The readings of a Watch and a Tally hold
// different signals; swap.InstrumentReading.Worse joins them, and the readings of several blocks or load workers too.
package instrument
