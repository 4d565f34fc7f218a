package workload

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/swap"
)

// version is part of the digest: a change of how prompts are made is a change of the workload.
const version = "workload/1"

// Prompt is what one request asks, before any salt.
type Prompt struct {
	Text string
	// MaxTokens is the length of the answer asked for.
	MaxTokens int
	// SHA256 is the hash of Text.
	SHA256 [sha256.Size]byte
}

// Generator makes the prompts of one workload. It is immutable and safe for concurrent use.
type Generator struct {
	spec    swap.Workload
	prompts []string
	digest  [sha256.Size]byte
}

// New reads the prompt file, if there is one, and checks the lengths. Its errors name the file and the line, or the field.
func New(w swap.Workload) (*Generator, error) {
	if err := checkLengths("output_tokens", w.OutputTokens); err != nil {
		return nil, err
	}
	g := &Generator{spec: w}
	if w.PromptFile != "" {
		prompts, err := readPrompts(w.PromptFile)
		if err != nil {
			return nil, err
		}
		g.prompts = prompts
	} else if err := checkLengths("input_tokens", w.InputTokens); err != nil {
		return nil, err
	}
	g.digest = g.digestOf()
	return g, nil
}

func checkLengths(field string, l swap.Lengths) error {
	switch {
	case l.Median < 1:
		return fmt.Errorf("workload.%s.median is %d; it must be at least 1", field, l.Median)
	case l.Sigma < 0 || math.IsNaN(l.Sigma):
		return fmt.Errorf("workload.%s.sigma is %g; it must not be negative", field, l.Sigma)
	case l.Max > 0 && l.Min > l.Max:
		return fmt.Errorf("workload.%s.min (%d) is above max (%d)", field, l.Min, l.Max)
	}
	return nil
}

// Spec returns the settings.
func (g *Generator) Spec() swap.Workload { return g.spec }

// Digest identifies everything that decides prompts and lengths: settings, seed and the contents of the prompt file. It
// does not cover the salt.
func (g *Generator) Digest() [sha256.Size]byte { return g.digest }

// At returns the i-th prompt of a stream. Streams are independent sequences: the two blocks of a pair share one.
func (g *Generator) At(stream, i uint64) Prompt {
	r := g.random(stream, i)
	p := Prompt{MaxTokens: draw(r, g.spec.OutputTokens)}
	if len(g.prompts) > 0 {
		p.Text = g.prompts[r.Uint64N(uint64(len(g.prompts)))]
	} else {
		p.Text = prose(r, draw(r, g.spec.InputTokens))
	}
	p.SHA256 = sha256.Sum256([]byte(p.Text))
	return p
}

// random returns the source of one prompt, whatever was drawn before.
func (g *Generator) random(stream, i uint64) *rand.Rand {
	return rand.New(rand.NewPCG(g.spec.Seed^mix(stream), mix(i^mix(stream+1))))
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014): neighbouring inputs give unrelated outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// draw returns a log-normal length, clipped. The normal comes from the Box-Muller transform, so that a seed keeps its
// meaning whatever the standard library does.
func draw(r *rand.Rand, l swap.Lengths) int {
	n := float64(l.Median)
	if l.Sigma > 0 {
		normal := math.Sqrt(-2*math.Log(1-r.Float64())) * math.Cos(2*math.Pi*r.Float64())
		n *= math.Exp(l.Sigma * normal)
	}
	n = max(math.Round(n), float64(l.Min), 1)
	if l.Max > 0 {
		n = min(n, float64(l.Max))
	}
	return int(min(n, math.MaxInt32))
}

func (g *Generator) digestOf() [sha256.Size]byte {
	h := sha256.New()
	w := g.spec
	fmt.Fprintf(h, "%s|%s|%v|%v|%t|%g|%d|%d|", version,
		w.API, w.InputTokens, w.OutputTokens, w.IgnoreEOS, w.Temperature, w.Seed, len(g.prompts))
	var size [8]byte
	for _, p := range g.prompts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Fingerprint is the hash in hex by which a request that was sent can be recognised: of prompt, model and temperature.
func Fingerprint(prompt, model string, temperature float64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%g", prompt, model, temperature)
	return hex.EncodeToString(h.Sum(nil))
}
