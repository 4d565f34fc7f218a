package judge

import "math"

// TokensPerSecond is the throughput of the block in tokens of good requests per second of measured time. It is not known where a
// good answer tells no tokens or nothing was measured.
func (b *Block) TokensPerSecond() (rate float64, known bool) {
	if !(b.MeasuredSeconds > 0) || b.Requests.Len() == 0 {
		return 0, false
	}
	tokens := 0.
	for i, n := range b.Requests.outputTokens {
		if !b.Requests.outcomes[i].good() {
			continue
		}
		if math.IsNaN(n) {
			return 0, false
		}
		tokens += n
	}
	return tokens / b.MeasuredSeconds, true
}
