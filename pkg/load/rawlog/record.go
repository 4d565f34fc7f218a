// Package rawlog is the raw record of one request and the metrics derived from it. Every number in a verdict comes from
// these records, and nothing is measured anywhere else. The package is pure: no I/O and no clock.
package rawlog

import "github.com/swapgate/swapgate/pkg/swap"

// Schema names the layout of Record in the run store.
const Schema = "requests/v2"

// Record is one planned request. Offsets are microseconds after SentUnixNS on the client's monotonic clock; a pointer is
// nil where the event never happened. Column names are the table's contract, documented in docs/raw-data.md.
type Record struct {
	// Step, Block and Pair place the request; Seq numbers the requests of a block from 0.
	Step  int32 `parquet:"step"`
	Block int32 `parquet:"block"`
	Pair  int32 `parquet:"pair"`
	Seq   int32 `parquet:"seq"`
	// Shard is the load worker that sent it, from 0.
	Shard int32 `parquet:"shard"`
	// Unit numbers the units of work of a block from 0, Turn the requests of a unit; a request that stands alone is turn 0.
	Unit int32 `parquet:"unit"`
	Turn int32 `parquet:"turn"`
	// Arm is the arm that was asked, or, in a rollout window, the arm that answered (empty if the gateway did not say).
	Arm string `parquet:"arm,dict"`
	// Measured is false in the settle time of a block: such a record is kept and counted but not judged.
	Measured bool `parquet:"measured"`

	// PlannedUnixNS is when the schedule wanted the request sent (closed loop: when its slot became free).
	PlannedUnixNS int64 `parquet:"planned_unix_ns"`
	// SentUnixNS is when the request was handed to the connection; 0 if it never was.
	SentUnixNS int64 `parquet:"sent_unix_ns"`
	// LateUS is sent minus planned. HeldUS is the part of it that the plan itself wanted: waiting for a place under
	// max_in_flight or for tokens under token_rate. The rest is the client's own lateness.
	LateUS int64 `parquet:"late_us"`
	HeldUS int64 `parquet:"held_us"`

	HeadersUS *int64 `parquet:"headers_us,optional"`
	// RoleUS is the first chunk with a choice, empty or not.
	RoleUS *int64 `parquet:"first_choice_us,optional"`
	// FirstUS is the first non-empty delta on any channel (content, reasoning, tool call).
	FirstUS *int64 `parquet:"first_token_us,optional"`
	// VisibleUS is the first non-empty content or tool call.
	VisibleUS *int64 `parquet:"first_visible_us,optional"`
	// LastUS is the last non-empty delta, FinishUS the chunk with the finish reason, EndUS the end of the body.
	LastUS   *int64 `parquet:"last_token_us,optional"`
	FinishUS *int64 `parquet:"finish_us,optional"`
	EndUS    *int64 `parquet:"end_us,optional"`
	// Chunks counts deltas with text; ChunkGapsUS are the gaps between them.
	Chunks      int32   `parquet:"chunks"`
	ChunkGapsUS []int64 `parquet:"chunk_gaps_us"`
	// ChunkTokens is the number of tokens in each chunk, as the server's running usage tells; empty where it does not.
	ChunkTokens []int32 `parquet:"chunk_tokens"`
	// Coalesced counts chunks that arrived together with the one before: their true spacing is unknown.
	Coalesced int32 `parquet:"coalesced"`
	// Keepalives counts comment lines of the stream.
	Keepalives int32 `parquet:"keepalives"`
	// KernelStamped counts the chunks whose time is the kernel's; LagUS is the longest time from the kernel's receipt of a
	// chunk to the client's look at it, nil where the kernel stamped none.
	KernelStamped int32  `parquet:"kernel_stamped"`
	LagUS         *int64 `parquet:"lag_us,optional"`

	// PromptTokens, OutputTokens and CachedTokens are the server's own usage; nil where it gave none.
	PromptTokens *int32 `parquet:"prompt_tokens,optional"`
	OutputTokens *int32 `parquet:"output_tokens,optional"`
	CachedTokens *int32 `parquet:"cached_tokens,optional"`
	// MaxTokens is what was asked for.
	MaxTokens int32 `parquet:"max_tokens"`
	// Quality is the share of its prompt's expectations that the answer meets; nil where nothing was expected, the request failed,
	// or the answer was too long to be kept. Older tables lack the column.
	Quality *float64 `parquet:"quality,optional"`
	// Work is what the answer holds in the unit of its interface (swap.API.Unit); nil where that cannot be told.
	Work *float64 `parquet:"work,optional"`

	Outcome      string `parquet:"outcome,dict"`
	Status       int32  `parquet:"http_status"`
	FinishReason string `parquet:"finish_reason,dict"`
	// Error is a short, sanitised description; never a prompt, an answer or a key.
	Error string `parquet:"error,dict"`
	// TraceID is the W3C trace id sent with the request.
	TraceID string `parquet:"trace_id"`
	// PromptSHA256 is SHA-256 of prompt, model and temperature, in hex.
	PromptSHA256 string `parquet:"prompt_sha256"`
	// Fingerprint is the server's system_fingerprint.
	Fingerprint string `parquet:"fingerprint,dict"`
	// ConnReused says whether the request went out on a kept connection.
	ConnReused bool `parquet:"conn_reused"`

	// Unread tells of an answer that could not be read. It is no column: it quotes the answer, and one example of a step is
	// enough.
	Unread *Unread `parquet:"-"`
}

// Unread says for people what was no answer that can be read, and what to do next. What quotes a bounded piece of it, escaped.
type Unread struct {
	What string `json:"what"`
	Next string `json:"next"`
}

// Good reports whether the request gave a usable answer.
func (r *Record) Good() bool { return swap.Outcome(r.Outcome).Good() }
