// Package loadbench measures the load client as a whole, against the metronome in a process of its own, and beside the least
// that any reader must do: a bare epoll loop on the same streams. It consists of benchmarks:
//
//	go test -run '^$' -bench . -benchtime 1x ./pkg/load/loadbench
//
// BenchmarkTokenArrival reports, over the time in which all streams are open:
//
//	err-p50-µs, err-p99-µs  the client's time of a token, distance from the server's time of its write
//	stamped-%               tokens whose time is the kernel's
//	coalesced-%             tokens that were read together with the one before, whose time is not their own
//	lag-p99-µs              from the kernel's receipt to the client's look, the longest of each request
//	ttft-err-ms             mean time to the first token, minus the true one
//	cpu-µs/tok, rss-MB      of the client's process
//	bare-µs/tok, x-bare     CPU time of the bare reader, and how many times as much the client takes
//	tok/s, bare-tok/s       what the client and the bare reader saw
//	server-cores            CPU time of the metronome over wall time, with the bare reader
//	server-late-p99-µs      how late the metronome wrote, the longest of each request
//
// The variant user-time has connections without kernel times.
//
// BenchmarkSend reports how late requests were written against the plan, and by how much the requests sent within the time
// differ from the plan. SWAPGATE_BENCH_SECONDS makes it longer than ten seconds.
package loadbench
