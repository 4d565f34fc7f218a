package sizeclass

import "regexp"

// family is a model whose name has no size, or one that misleads.
type family struct {
	pattern       *regexp.Regexp
	total, active float64
}

// mixtures go before a number in the name: experts share layers, and a distillation bears the name of a large model. The first
// that matches counts; one without a size ends the search, and the number in the name counts. Sizes are those of the
// publishers' model cards, in 10⁹.
var mixtures = []family{
	moe(`distill`, 0, 0),
	moe(`deepseek-r1:671b`, 671, 37),
	moe(`deepseek-r1:\d`, 0, 0), // Ollama's names of distillations
	moe(`deepseek-(coder-)?v2.*(lite|16b)`, 15.7, 2.4),
	moe(`deepseek-(coder-)?v2`, 236, 21),
	moe(`deepseek-(v3|r1|chat|reasoner)`, 671, 37),
	moe(`mixtral.*8x7b`, 46.7, 12.9),
	moe(`mixtral.*8x22b`, 140.6, 39.1),
	moe(`llama-?4.*scout`, 109, 17),
	moe(`llama-?4.*maverick`, 400, 17),
	moe(`qwen1\.5-moe`, 14.3, 2.7),
	moe(`phi-?3\.5-moe`, 41.9, 6.6),
	moe(`gemma-?3n.*e2b`, 5.4, 2),
	moe(`gemma-?3n.*e4b`, 7.9, 4),
	moe(`gpt-oss.*120b`, 116.8, 5.1),
	moe(`gpt-oss.*20b`, 20.9, 3.6),
	moe(`olmoe`, 6.9, 1.3),
	moe(`jamba.*mini`, 52, 12),
	moe(`jamba.*large`, 398, 94),
	moe(`dbrx`, 132, 36),
	moe(`grok-1`, 314, 86),
	moe(`kimi-k2`, 1000, 32),
	moe(`glm-4\.5-air`, 106, 12),
	moe(`glm-4\.[56]`, 355, 32),
	moe(`stablelm-2-1_6b`, 1.6, 1.6), // its name writes 1.6 as 1_6
}

// unnamed are models whose names have no number of parameters.
var unnamed = []family{
	dense(`mistral-nemo`, 12.2),
	dense(`(mistral|magistral)-small|devstral`, 23.6),
	dense(`mistral-large`, 123),
	dense(`codestral`, 22.2),
	dense(`phi-?(3|3\.5|4)[-:](mini|vision)`, 3.8),
	dense(`phi-?3[-:]small`, 7.4),
	dense(`phi-?3[-:]medium`, 14),
	dense(`phi-?4[-:]multimodal`, 5.6),
	dense(`phi-?4`, 14.7),
	dense(`phi-?3`, 3.8),
	dense(`phi-?2(\D|$)`, 2.7),
	dense(`phi-?1(\.5|_5)?(\D|$)`, 1.3),
	dense(`gpt2-xl`, 1.5),
	dense(`gpt2-large`, .774),
	dense(`gpt2-medium`, .355),
	dense(`distilgpt2`, .082),
	dense(`gpt2(\D|$)`, .124),
	dense(`command-r(-?plus|\+)`, 104),
	dense(`command-r7b`, 8),
	dense(`command-r(\W|_|$)`, 35),
	dense(`starcoder(\W|$)`, 15.5),
	dense(`bloomz?$`, 176),
}

func dense(pattern string, billions float64) family { return moe(pattern, billions, billions) }

func moe(pattern string, total, active float64) family {
	return family{pattern: regexp.MustCompile(pattern), total: total, active: active}
}

// ofFamily looks a name in small letters up in a table.
func ofFamily(name string, table []family) (Size, bool) {
	for _, f := range table {
		if f.pattern.MatchString(name) {
			return Size{Total: f.total, Active: f.active, From: fromFamily}, f.total > 0
		}
	}
	return Size{}, false
}
