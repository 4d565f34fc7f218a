package config

import (
	"regexp"

	"github.com/swapgate/swapgate/pkg/swap"
)

func checkModelSizes(r *reporter, sizes []swap.ModelSize) {
	for i, s := range sizes {
		if _, err := regexp.Compile(s.Pattern); err != nil {
			r.value(at("model_sizes", i, "pattern"), "must be a regular expression (RE2): %v", err)
		}
	}
}
