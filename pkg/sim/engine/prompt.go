package engine

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// tokenBytes is the longest stretch of a word that is one token.
const tokenBytes = 12

// prompt is what the server keeps of a prompt: its length and the hashes of its prefixes.
type prompt struct {
	tokens int
	// hash covers the whole prompt.
	hash uint64
	// blocks holds one hash for every full block, each covering the prompt up to the block's end.
	blocks []uint64
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func newPrompt() prompt { return prompt{hash: fnvOffset} }

// add appends text: words, or stretches of tokenBytes bytes of a longer word, become tokens.
func (p *prompt) add(text string) {
	run := 0
	for i := range len(text) {
		b := text[i]
		if b == ' ' || b == '\n' || b == '\t' || b == '\r' {
			run = 0
			continue
		}
		if run%tokenBytes == 0 {
			p.begin()
		}
		run++
		p.hash = (p.hash ^ uint64(b)) * fnvPrime
	}
	p.closeBlock()
}

// addID appends one token given by its number.
func (p *prompt) addID(id int64) {
	p.begin()
	p.hash = (p.hash ^ uint64(id)) * fnvPrime //nolint:gosec // G115: only the bits matter
	p.closeBlock()
}

// begin starts a token, and closes the block before it if that is full.
func (p *prompt) begin() {
	p.closeBlock()
	p.tokens++
	p.hash = (p.hash ^ ' ') * fnvPrime
}

// closeBlock records the hash of the last block once it is full.
func (p *prompt) closeBlock() {
	if p.tokens > len(p.blocks)*blockTokens && p.tokens%blockTokens == 0 {
		p.blocks = append(p.blocks, p.hash)
	}
}

// naturalLength is where the answer to a prompt ends by itself; 0 means never.
func naturalLength(l swap.Lengths, promptHash uint64) int {
	if l.Median == 0 {
		return 0
	}
	n := int(math.Round(float64(l.Median) * math.Exp(l.Sigma*normal(promptHash))))
	if l.Max > 0 {
		n = min(n, l.Max)
	}
	return max(n, l.Min, 1)
}
