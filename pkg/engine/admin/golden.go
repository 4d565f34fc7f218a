package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

// goldenTimeout bounds one golden request.
const goldenTimeout = time.Minute

// Ask asks a model, by the name that clients use, the golden prompts in their order. It fails with ErrUnreachable if an answer did
// not come.
type Ask func(ctx context.Context, model string) (Answers, error)

// Answers are the texts that came back, and the fingerprint that came with them.
type Answers struct {
	Texts       []string
	Fingerprint string
}

// Golden asks the prompts of a specification through a client, one after the other at temperature 0.
func Golden(c *engine.Client, api swap.API, g swap.Golden) Ask {
	return func(ctx context.Context, model string) (Answers, error) {
		var out Answers
		for i, prompt := range g.Prompts {
			o := c.Stream(ctx, protocol.Ask{
				API: api, Model: model, Prompt: prompt, MaxTokens: g.MaxTokens, KeepText: true, Timeout: goldenTimeout,
			})
			if !o.Outcome.Good() && o.Outcome != swap.Empty {
				return Answers{}, fmt.Errorf("%w: golden prompt %d to model %s ended with %s: %s; look for the cause in the engine's log",
					ErrUnreachable, i+1, model, o.Outcome, o.Err)
			}
			out.Texts, out.Fingerprint = append(out.Texts, o.Text), o.Fingerprint
		}
		return out, nil
	}
}

// askTwice returns a hash for each prompt that was answered alike twice: batches of other sizes may round otherwise, so that even
// at temperature 0 an answer need not repeat. The others get an empty hash.
func askTwice(ctx context.Context, ask Ask, model string) (hashes []string, fingerprint string, err error) {
	first, err := ask(ctx, model)
	if err != nil {
		return nil, "", err
	}
	second, err := ask(ctx, model)
	if err != nil {
		return nil, "", err
	}
	hashes = make([]string, len(first.Texts))
	for i, text := range first.Texts {
		if i < len(second.Texts) && second.Texts[i] == text {
			sum := sha256.Sum256([]byte(text))
			hashes[i] = hex.EncodeToString(sum[:])
		}
	}
	return hashes, second.Fingerprint, nil
}

// compareGolden counts the prompts that were answered steadily both times, by whether the answers agree.
func compareGolden(then, now []string) (same, changed int) {
	for i := range min(len(then), len(now)) {
		switch {
		case then[i] == "" || now[i] == "":
		case then[i] == now[i]:
			same++
		default:
			changed++
		}
	}
	return same, changed
}
