// Package pressure tells how full an inference server is: how much its KV cache holds and how much of that is free, the largest
// usage of cache and GPUs while load runs, and whether the cache took requests that nearly fill the model's context.
//
// It reads the pages that package telemetry samples, but only the families it needs, so that it costs a load worker next to
// nothing. What a page does not say is absent, never 0.
package pressure
