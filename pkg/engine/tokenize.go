package engine

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/swapgate/swapgate/pkg/swap"
)

// probeText is what both servers are asked to cut into tokens: words, numbers, code, white space and scripts on which tokenizers
// differ. It is never changed: counts of different runs compare.
const probeText = "Say hello.\n\tfor (int i = 0; i < 1024; ++i) { total += 3.14159e-7 * prices[i]; }  " +
	"Größenmaßstäbe, déjà-vu, 東京タワー, привет 👋🏽 supercalifragilistic 1234567890"

// tokenizeRequest is the body with which an engine cuts a text into tokens, without special tokens; nil where it has no such route.
func tokenizeRequest(engine, model string) map[string]any {
	switch engine {
	case VLLM, NIM, SGLang:
		return map[string]any{"model": model, "prompt": probeText, "add_special_tokens": false}
	case TGI:
		return map[string]any{"inputs": probeText, "add_special_tokens": false}
	case LlamaCPP:
		return map[string]any{"content": probeText, "add_special": false}
	}
	return nil
}

// tryTokenize learns what the server's tokenizer makes of the probe text, where the server offers to say so.
func (p prober) tryTokenize(ctx context.Context, facts *swap.ArmFacts) {
	body := tokenizeRequest(facts.Engine, facts.Model)
	if body == nil {
		return
	}
	pg, err := p.post(ctx, "/tokenize", body)
	if err != nil || pg.status != 200 {
		return
	}
	if ids := tokenIDs(pg.body); len(ids) > 0 {
		facts.Setup.ProbeTokens = swap.Of(float64(len(ids)))
		facts.Setup.ProbeSHA256 = hashIDs(ids)
	}
}

// tokenIDs reads {"tokens":[1,2]}, or TGI's [{"id":1},{"id":2}]; nil for anything else.
func tokenIDs(body []byte) []int64 {
	var object struct {
		Tokens []int64 `json:"tokens"`
	}
	if json.Unmarshal(body, &object) == nil {
		return object.Tokens
	}
	var list []struct {
		ID *int64 `json:"id"`
	}
	if json.Unmarshal(body, &list) != nil {
		return nil
	}
	ids := make([]int64, len(list))
	for i, t := range list {
		if t.ID == nil {
			return nil
		}
		ids[i] = *t.ID
	}
	return ids
}

func hashIDs(ids []int64) string {
	var b []byte
	for _, id := range ids {
		b = append(strconv.AppendInt(b, id, 10), ' ')
	}
	return shortHash(b)
}
