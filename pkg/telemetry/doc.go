// Package telemetry samples what the servers and their GPUs say of themselves while load runs: the engine's own
// Prometheus page, a dcgm-exporter page, and NVML on a GPU host.
//
// Every source speaks its own dialect. Tables of aliases, kept as data, turn each dialect into one set of canonical
// metric names that carry their unit. What a source does not report is absent: no sample is written, never a zero.
// docs/telemetry.md lists sources, names and aliases.
package telemetry
