// Package engine speaks to inference servers with an OpenAI-compatible interface: it finds out what a server is (Probe)
// and streams one request while noting when each part of the answer arrived (Client.Stream).
//
// The client never retries, never follows a redirect and never lets the transport send a request twice, because each of
// these would hide a failure or move the start of a latency.
package engine
