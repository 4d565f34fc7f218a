package pace

import (
	"errors"
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ErrCapacityUnknown says that the room in the engine's KV cache is not known.
var ErrCapacityUnknown = errors.New("the engine does not report how many tokens its KV cache has room for")

// ConcurrencyFromKV is how many requests in flight fill a share of the free KV cache, and at least 1. freeTokens is the
// room for tokens in the cache, over all requests; a share above 1 asks for more than there is. topology is nil for
// requests that stand alone.
//
// A request counts with what it holds on average while it decodes (see ResidentTokens), so at share 1 the cache is full on
// average and overfull about half of the time.
func ConcurrencyFromKV(freeTokens swap.Value, share float64, input, output swap.Lengths, topology *swap.Topology) (int, error) {
	free, ok := freeTokens.Get()
	switch {
	case !ok:
		return 0, fmt.Errorf("kv_share %g: %w; set concurrency instead", share, ErrCapacityUnknown)
	case free <= 0:
		return 0, fmt.Errorf("kv_share %g: the KV cache has no free room (%g tokens); wait until the engine is idle, or set concurrency instead",
			share, free)
	case !(share > 0):
		return 0, fmt.Errorf("kv_share is %g; it must be above 0", share)
	case input.Median < 1 || output.Median < 1:
		return 0, fmt.Errorf("kv_share %g: input_tokens and output_tokens must be planned, not taken from a file; set concurrency instead", share)
	}
	n := math.Floor(free * share / ResidentTokens(input, output, topology))
	return int(min(max(1, n), math.MaxInt32)), nil
}

// ResidentTokens is how many tokens of KV cache a request in flight holds, averaged over time. A request holds its prompt and
// the part of its answer that is decoded, and stays for a time in proportion to its answer, so by the renewal reward
// theorem the average is E[prompt] + E[answer²] / 2·E[answer]: half of the answer, long answers counted longer. Prefill is
// taken to be short, and blocks shared by a prefix cache are counted for each request.
//
// A later turn of a session also holds the turns before it with their answers, a later turn of a ring the answer before it.
func ResidentTokens(input, output swap.Lengths, topology *swap.Topology) float64 {
	in, _ := clippedMoments(input)
	out, outSquare := clippedMoments(output)
	resident := in + outSquare/(2*out)
	if topology == nil || topology.Size < 1 {
		return resident
	}
	size := float64(topology.Size)
	switch topology.Shape {
	case swap.ShapeSession:
		return resident + (size-1)/2*(in+out)
	case swap.ShapeRing:
		return resident + (size-1)/size*out
	}
	return resident
}

// clippedMoments are E[X] and E[X²] of a log-normal that is clipped to [min, max], both at least 1; max 0 is no limit.
func clippedMoments(l swap.Lengths) (mean, square float64) {
	low, high := max(1, float64(l.Min)), math.Inf(1)
	if l.Max > 0 {
		high = max(low, float64(l.Max))
	}
	if l.Sigma <= 0 {
		x := min(max(float64(l.Median), low), high)
		return x, x * x
	}
	return clippedMoment(l, 1, low, high), clippedMoment(l, 2, low, high)
}

// clippedMoment is E[Xᵏ]: the mass below low and above high stands at the limits, and between them the partial moment of a
// log-normal is exp(kμ + k²σ²/2) · (Φ(b−kσ) − Φ(a−kσ)), where a and b are the standardised logarithms of the limits.
func clippedMoment(l swap.Lengths, k, low, high float64) float64 {
	mu := math.Log(float64(l.Median))
	a, b := (math.Log(low)-mu)/l.Sigma, (math.Log(high)-mu)/l.Sigma
	between := math.Exp(k*mu+k*k*l.Sigma*l.Sigma/2) * (phi(b-k*l.Sigma) - phi(a-k*l.Sigma))
	above := 0.0
	if !math.IsInf(high, 1) {
		above = math.Pow(high, k) * phi(-b)
	}
	return math.Pow(low, k)*phi(a) + between + above
}

// phi is the standard normal distribution function.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
