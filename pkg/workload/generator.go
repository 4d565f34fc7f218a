package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/splitmix"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/expect"
)

// Prompt is what one request asks, before any salt.
type Prompt struct {
	// Text is empty for a recording to transcribe.
	Text string
	// InputTokens is the planned length of the prompt: of synthetic text the length drawn, of text from a file an estimate.
	// What the server counted is in its usage; that has the chat template and the salt (about ten tokens) on top.
	InputTokens int
	// MaxTokens is the length of the answer asked for; 0 where answers are not counted in tokens.
	MaxTokens int
	// AudioSeconds is the length of the recording to transcribe, else 0. Generator.Recording makes it.
	AudioSeconds int
	// Work is what the request is planned to cost, in the unit of its interface: tokens of prompt and answer, pixels times
	// steps of the image, seconds of the recording or, estimated from the text, of the speech.
	Work float64
	// SHA256 identifies what is asked: the hash of Text, or of what makes the recording.
	SHA256 [sha256.Size]byte
	// Expect is what a good answer must be; nil where nothing is expected, or the answer is no text.
	Expect *expect.Expectation
}

// Generator makes the prompts of one workload. It is immutable and safe for concurrent use.
type Generator struct {
	spec    swap.Workload
	prompts []filePrompt
	// recorded replaces the lengths of spec; nil without a recording.
	recorded *recordedLengths
	digest   [sha256.Size]byte
	tape     *tape
}

// New reads the prompt file, if there is one, and checks the settings. Its errors name the file and the line, or the field.
func New(w swap.Workload) (*Generator, error) {
	w = withDefaults(w)
	if err := check(w); err != nil {
		return nil, err
	}
	g := &Generator{spec: w, tape: newTape(w.Seed)}
	if w.PromptFile != "" {
		prompts, err := readPrompts(w.PromptFile)
		if err != nil {
			return nil, err
		}
		g.prompts = prompts
	}
	g.digest = g.digestOf()
	return g, nil
}

// Spec returns the settings.
func (g *Generator) Spec() swap.Workload { return g.spec }

// Digest identifies everything that decides prompts, lengths and pauses: settings, seed, the texts of the prompt file, and
// recorded lengths. It does not cover the salt, nor what is expected of answers: both change nothing of the load.
func (g *Generator) Digest() [sha256.Size]byte { return g.digest }

// At returns the i-th prompt of a stream. Streams are independent sequences: the two blocks of a pair share one.
func (g *Generator) At(stream, i uint64) Prompt {
	r, p := g.begin(stream, i)
	switch {
	case g.spec.API == swap.APITranscriptions:
		p.AudioSeconds = draw(r, *g.spec.AudioSeconds)
		p.SHA256 = g.recordingHash(p.AudioSeconds)
	case len(g.prompts) > 0:
		chosen := g.prompts[r.Uint64N(uint64(len(g.prompts)))]
		p.Text, p.InputTokens = chosen.text, chosen.tokens
		if g.spec.API.Unit() == swap.UnitTokens {
			p.Expect = chosen.expect
		}
		p.SHA256 = sha256.Sum256([]byte(p.Text))
	default:
		p.Text = g.write(r, p.InputTokens)
		p.SHA256 = sha256.Sum256([]byte(p.Text))
	}
	p.Work = g.work(p)
	return p
}

// begin returns the source of one prompt, whatever was drawn before, and the prompt with its lengths: of the answer, and of
// the text if that is synthetic.
func (g *Generator) begin(stream, i uint64) (*rand.Rand, Prompt) {
	r := g.random(stream, i)
	var p Prompt
	tokens := g.spec.API.Unit() == swap.UnitTokens
	if tokens && g.recorded != nil {
		p.InputTokens, p.MaxTokens = g.recorded.at(i)
		return r, p
	}
	if tokens {
		p.MaxTokens = draw(r, g.spec.OutputTokens)
	}
	if len(g.prompts) == 0 && g.spec.API != swap.APITranscriptions {
		p.InputTokens = draw(r, g.spec.InputTokens)
	}
	return r, p
}

// write makes a synthetic prompt. Only a language model is asked to write at length.
func (g *Generator) write(r *rand.Rand, tokens int) string {
	if g.spec.API.Unit() == swap.UnitTokens {
		return request(r, tokens)
	}
	return prose(r, tokens)
}

func (g *Generator) work(p Prompt) float64 {
	switch g.spec.API {
	case swap.APIImages:
		return imageWork(*g.spec.Image)
	case swap.APISpeech:
		return speechSeconds(p.InputTokens)
	case swap.APITranscriptions:
		return float64(p.AudioSeconds)
	}
	return float64(p.InputTokens + p.MaxTokens)
}

// random returns the source of one prompt, whatever was drawn before.
func (g *Generator) random(stream, i uint64) *rand.Rand {
	return rand.New(rand.NewPCG(g.spec.Seed^splitmix.Mix(stream), splitmix.Mix(i^splitmix.Mix(stream+1))))
}

// Fingerprint is the hash in hex by which a request that was sent can be recognised: of prompt, model and temperature.
func Fingerprint(prompt, model string, temperature float64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%g", prompt, model, temperature)
	return hex.EncodeToString(h.Sum(nil))
}
