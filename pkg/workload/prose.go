package workload

import (
	"math"
	"math/rand/v2"
	"strings"
)

// tokensPerWord is the usual rule for English text and byte-pair vocabularies, punctuation included. It only sets how
// long a synthetic prompt is; what a server counted is in its usage.
const tokensPerWord = 1.3

// opening asks for a long answer, so that a model does not stop after a sentence.
const opening = "Continue this text at length."

// request is prose of about so many tokens that opens with the request to continue it.
func request(r *rand.Rand, tokens int) string {
	words := wordsIn(tokens)
	var b strings.Builder
	b.Grow(words * 8)
	if opened := strings.Count(opening, " ") + 1; words > 2*opened {
		b.WriteString(opening)
		b.WriteByte(' ')
		words -= opened
	}
	sentences(&b, r, words)
	return b.String()
}

// prose writes English-like sentences of about so many tokens.
func prose(r *rand.Rand, tokens int) string {
	words := wordsIn(tokens)
	var b strings.Builder
	b.Grow(words * 8)
	sentences(&b, r, words)
	return b.String()
}

func wordsIn(tokens int) int { return max(1, int(math.Round(float64(tokens)/tokensPerWord))) }

// tokensOf estimates the length of a text.
func tokensOf(text string) int {
	return int(math.Round(float64(len(strings.Fields(text))) * tokensPerWord))
}

func sentences(b *strings.Builder, r *rand.Rand, words int) {
	for words > 0 {
		n := min(words, 6+r.IntN(10))
		sentence(b, r, n)
		if words -= n; words > 0 {
			b.WriteByte(' ')
		}
	}
}

func sentence(b *strings.Builder, r *rand.Rand, words int) {
	for i := range words {
		w := proseWords[r.Uint64N(uint64(len(proseWords)))]
		if i == 0 {
			b.WriteByte(w[0] - 'a' + 'A')
			b.WriteString(w[1:])
			continue
		}
		b.WriteByte(' ')
		b.WriteString(w)
	}
	b.WriteByte('.')
}
