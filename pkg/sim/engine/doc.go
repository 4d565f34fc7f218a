// Package engine simulates an LLM inference server whose true service times are known. It speaks the OpenAI API and
// exports the metrics of vLLM, batches requests continuously, and injects faults on demand, so that everything that
// measures a server can be tested against the truth.
//
// The model of time: a request waits until the batch has a place and the KV cache has room; its prefill then runs beside
// the decoding of the others and ends with its first token, after
//
//	(base + uncached tokens / rate) · (1 + contention · others in prefill) · noise
//
// Then it joins the decode steps. One step gives every running sequence one token and takes
//
//	(base + per_sequence · n + per_context_token · Σ context) · noise
//
// Prefill and decode do not slow each other down, as on a server with disaggregated prefill: while nothing queues, a
// slower prefill shows in time to first token alone and a slower decode in time per output token alone. When the KV cache
// is full, the sequence admitted last is preempted and later recomputed, as in vLLM.
//
// A token is a word, or every 12 bytes of a longer word; each chat message costs one more for its role. Only prompts
// enter the prefix cache, never answers. While loading, the server answers 503 instead of refusing connections.
package engine
