package workload

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// saltLength is the number of words of a salt: 8 of 256, so 64 bits.
const saltLength = 8

// Salt is what stands before everything that a unit of work asks: with prompt_cache salted, words that no other unit of any
// run has, so that no prefix cache can help but with the unit's own prefix; otherwise nothing. It stands at the very start,
// where a cache looks first, and always has the same length, so both arms get prompts of equal length.
func (g *Generator) Salt(runSalt string, arm swap.Arm, stream, unit uint64) string {
	if g.spec.PromptCache != swap.CacheSalted {
		return ""
	}
	return salt(runSalt, arm, stream, unit) + ". "
}

func salt(runSalt string, arm swap.Arm, stream, i uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", runSalt, arm, stream, i))
	words := make([]string, saltLength)
	for k := range words {
		words[k] = saltWords[sum[k]]
	}
	return strings.Join(words, " ")
}
