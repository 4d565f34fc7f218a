package telemetry

import "strings"

// Canonical metric names. A name ends in its unit; one that ends in _total is a counter, all others are gauges.
const (
	RequestsRunning       = "requests_running"
	RequestsWaiting       = "requests_waiting"
	RequestsFinishedTotal = "requests_finished_total"
	KVCacheUsageShare     = "kv_cache_usage_share"
	PrefixHitsTotal       = "prefix_cache_hits_total"
	PrefixQueriesTotal    = "prefix_cache_queries_total"
	PrefixHitShare        = "prefix_cache_hit_share"
	PromptTokensTotal     = "prompt_tokens_total"
	GenerationTokensTotal = "generation_tokens_total"
	PreemptionsTotal      = "preemptions_total"
	SpecDraftTotal        = "spec_draft_tokens_total"
	SpecAcceptedTotal     = "spec_accepted_tokens_total"
	ProcessStartSeconds   = "process_start_time_seconds"

	GPUUtilizationPercent = "gpu_utilization_percent"
	GPUMemoryBusyPercent  = "gpu_memory_busy_percent"
	GPUMemoryUsedBytes    = "gpu_memory_used_bytes"
	GPUMemoryFreeBytes    = "gpu_memory_free_bytes"
	GPUMemoryTotalBytes   = "gpu_memory_total_bytes"
	GPUSMActiveShare      = "gpu_sm_active_share"
	GPUSMOccupancyShare   = "gpu_sm_occupancy_share"
	GPUTensorActiveShare  = "gpu_tensor_active_share"
	GPUDRAMActiveShare    = "gpu_dram_active_share"
	GPUPowerW             = "gpu_power_w"
	GPUEnergyTotal        = "gpu_energy_j_total"
	GPUTemperatureC       = "gpu_temperature_c"
	GPUMemoryTemperatureC = "gpu_memory_temperature_c"
	GPUSMClockMHz         = "gpu_sm_clock_mhz"
	GPUMemoryClockMHz     = "gpu_memory_clock_mhz"
	GPUPCIeTxBytesPerS    = "gpu_pcie_tx_bytes_per_s"
	GPUPCIeRxBytesPerS    = "gpu_pcie_rx_bytes_per_s"
	GPUClockEventBits     = "gpu_clock_event_bits"
	GPULastXID            = "gpu_last_xid"
)

// counterSuffix marks a counter.
const counterSuffix = "_total"

// IsCounter reports whether the metric only grows until its source restarts.
func IsCounter(metric string) bool { return strings.HasSuffix(metric, counterSuffix) }

// RateName is the name of a counter's rate of change: prompt_tokens_total becomes prompt_tokens_per_s.
func RateName(counter string) string { return strings.TrimSuffix(counter, counterSuffix) + "_per_s" }
