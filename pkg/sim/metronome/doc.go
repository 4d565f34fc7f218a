// Package metronome is a server of known truth: it streams tokens at a fixed beat, writes down when it wrote each of them,
// and costs so little that the load client beside it is what a measurement shows. The load client is calibrated against it.
//
// A connection has a goroutine that reads requests; one thread writes the tokens of all of them, so that no goroutine wakes
// for a token. The truth of a token is the wall clock just before its write: a client can never have it earlier.
package metronome
