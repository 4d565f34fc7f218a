// Package transition says what clients saw of a swap that happened under load: how many requests failed, for how long no stream
// got a token, what became of the requests that the swap caught, and when latency was back where it was. It is pure.
package transition
