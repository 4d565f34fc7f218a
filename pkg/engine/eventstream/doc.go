// Package eventstream splits the body of a streamed answer into events and notes when the bytes of each event arrived.
//
// It reads server-sent events as the WHATWG standard defines them, lines of JSON, and bodies that are one document. The
// arrival is noted once after each read, before any byte is looked at, so that the work of reading an event never moves
// its time.
package eventstream
