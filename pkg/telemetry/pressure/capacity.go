package pressure

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// product is a capacity in tokens: numbers that are multiplied for each rank, and the ranks added up.
type product struct {
	factors []factor
	// copies names labels whose series repeat one cache instead of sharing it.
	copies []string
	// whole says that every rank reports the capacity of all of them.
	whole bool
}

// factor is where one number of a product stands.
type factor struct {
	family string
	// label holds the number as its value; empty takes the value of the series.
	label string
	// kind selects series by the value of a label.
	kind, is string
}

// capacities lists how engines report their capacity, in order of preference. LMDeploy, TGI and llama.cpp do not.
func capacities() []product {
	return []product{
		// The cache of hybrid models is not blocks times size, so newer versions of vLLM name the tokens, for each engine.
		{factors: []factor{{family: "vllm:cache_config_info", label: "kv_cache_size_tokens"}}},
		// num_gpu_blocks is summed over the data-parallel engines before each of them reports it (_apply_ready_response).
		{whole: true, factors: []factor{
			{family: "vllm:cache_config_info", label: "num_gpu_blocks"}, {family: "vllm:cache_config_info", label: "block_size"},
		}},
		{copies: sglangCopies(), factors: []factor{{family: "sglang:max_total_num_tokens"}}},
		{copies: sglangCopies(), factors: []factor{
			{family: "sglang:cache_config_info", label: "num_pages"}, {family: "sglang:cache_config_info", label: "page_size"},
		}},
		{copies: sglangCopies(), factors: []factor{{family: "sglang:num_pages"}, {family: "sglang:page_size"}}},
		// With the older cache manager the blocks of a host cache (host_cache_size) are among these.
		{factors: []factor{{family: "trtllm_kv_cache_max_blocks"}, {family: "trtllm_kv_cache_tokens_per_block"}}},
		{factors: []factor{
			{family: "nv_trt_llm_kv_cache_block_metrics", kind: "kv_cache_block_type", is: "max"},
			{family: "nv_trt_llm_kv_cache_block_metrics", kind: "kv_cache_block_type", is: "tokens_per"},
		}},
	}
}

func sglangCopies() []string { return []string{"tp_rank", "pp_rank", "moe_ep_rank"} }

func capacityFamilies() map[string]bool {
	names := map[string]bool{}
	for _, p := range capacities() {
		for _, f := range p.factors {
			names[f.family] = true
		}
	}
	return names
}

// capacity is the room of the KV cache in tokens; absent where the engine does not say.
func capacity(page telemetry.Families) swap.Value {
	for _, p := range capacities() {
		if tokens := p.tokens(page); tokens.Valid() {
			return tokens
		}
	}
	return swap.Absent()
}

func (p product) tokens(page telemetry.Families) swap.Value {
	ranks := p.factors[0].read(page, p.copies)
	for _, f := range p.factors[1:] {
		others := f.read(page, p.copies)
		for rank := range ranks {
			ranks[rank] *= others[rank]
		}
	}
	total := 0.0
	for _, rank := range slices.Sorted(maps.Keys(ranks)) {
		if p.whole {
			total = max(total, ranks[rank])
		} else {
			total += ranks[rank]
		}
	}
	if total <= 0 {
		return swap.Absent()
	}
	return swap.Of(total)
}

// read gives the number of each rank, the largest of its copies.
func (f factor) read(page telemetry.Families, copies []string) map[string]float64 {
	ranks := map[string]float64{}
	for _, s := range page.Series(f.family) {
		if f.kind != "" && s.Labels[f.kind] != f.is {
			continue
		}
		if v, ok := f.number(s); ok {
			key := rankOf(s.Labels, append([]string{f.kind}, copies...))
			ranks[key] = max(ranks[key], v)
		}
	}
	return ranks
}

// number must be positive and finite: engines write None before they know.
func (f factor) number(s telemetry.Labelled) (float64, bool) {
	v := s.Value
	if f.label != "" {
		var err error
		if v, err = strconv.ParseFloat(s.Labels[f.label], 64); err != nil {
			return 0, false
		}
	}
	return v, v > 0 && swap.Of(v).Valid()
}

// rankOf identifies a rank by its labels, some of them left out.
func rankOf(labels map[string]string, except []string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if !slices.Contains(except, name) {
			fmt.Fprintf(&b, "%q=%q,", name, labels[name])
		}
	}
	return b.String()
}
