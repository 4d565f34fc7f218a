package sizeclass

import (
	"regexp"
	"strconv"
)

var (
	// A number is a size where it stands apart: "8b", "-0.5b", "llama70b", but not "4bit" or "v2beta".
	plainSize = regexp.MustCompile(`(?:^|[^a-z0-9.]|[a-z]{3})(\d{1,4}(?:\.\d{1,3})?)b(?:$|[^a-z0-9])`)
	// Millions are for small models; one or two digits are a context length, as in "7b-1m".
	millions = regexp.MustCompile(`(?:^|[^a-z0-9.])(\d{2,4})m(?:$|[^a-z0-9])`)
	// Experts: "8x7b" is at most eight times seven, since the experts share the attention layers.
	experts = regexp.MustCompile(`(?:^|[^a-z0-9.])(\d{1,3})x(\d{1,4}(?:\.\d{1,3})?)b(?:$|[^a-z0-9])`)
	// Active parameters: "30b-a3b", "3b-a800m".
	activeSize = regexp.MustCompile(`(?:^|[^a-z0-9])a(\d{1,4}(?:\.\d{1,3})?)(b|m)(?:$|[^a-z0-9])`)
)

// ofName reads the size that a name in small letters has in it.
func ofName(name string) (Size, bool) {
	s := Size{From: fromName}
	if m := experts.FindStringSubmatch(name); m != nil {
		s.Total, s.Active = number(m[1])*number(m[2]), number(m[2])
	} else if m := plainSize.FindStringSubmatch(name); m != nil {
		s.Total, s.Active = number(m[1]), number(m[1])
	} else if m := millions.FindStringSubmatch(name); m != nil {
		s.Total, s.Active = number(m[1])/1e3, number(m[1])/1e3
	}
	if m := activeSize.FindStringSubmatch(name); m != nil {
		active := number(m[1])
		if m[2] == "m" {
			active /= 1e3
		}
		s.Active = min(active, s.Total)
	}
	return s, s.Total > 0
}

// number reads digits that a pattern has checked.
func number(digits string) float64 {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	return v
}

// bits are how names say in how many bits the weights are kept. The first that matches counts.
var bits = []struct {
	pattern *regexp.Regexp
	bits    int
}{
	{regexp.MustCompile(`(?:^|[^a-z0-9])i?q([2-8])(?:_|$|[^a-z0-9])`), 0},
	{regexp.MustCompile(`int4|4-?bit|w4a(4|8|16)|nf4|fp4`), 4},
	{regexp.MustCompile(`int8|8-?bit|w8a(8|16)|fp8`), 8},
	{regexp.MustCompile(`awq|gptq`), 4}, // almost always
	{regexp.MustCompile(`bf16|fp?16|float16`), 16},
	{regexp.MustCompile(`fp?32|float32`), 32},
}

// bitsOf is the width of the weights that a name in small letters tells; 0 where it tells none.
func bitsOf(name string) int {
	for _, b := range bits {
		m := b.pattern.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if b.bits > 0 {
			return b.bits
		}
		return int(number(m[1]))
	}
	return 0
}
