package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	trialTokens = 4
	// trialTimeout leaves time for a server that loads the model on its first request.
	trialTimeout = 2 * time.Minute
)

// attempt is one form of the trial request.
type attempt struct {
	api  swap.API
	caps protocol.Capabilities
}

// attempts lists the forms from the most to the least informative. A server that refuses a field with a 4xx gets the next.
// Interfaces of one engine have one form; those whose answers hold no tokens are not tried, for one answer may cost minutes.
func attempts(api swap.API) []attempt {
	usage := func(key protocol.TokenLimitKey) protocol.Capabilities {
		return protocol.Capabilities{UsageInStream: true, TokenLimit: key}
	}
	running := func(key protocol.TokenLimitKey) protocol.Capabilities {
		return protocol.Capabilities{UsageInStream: true, RunningUsage: true, TokenLimit: key}
	}
	long, short := protocol.MaxCompletionTokensKey, protocol.MaxTokensKey
	switch api {
	case swap.APIChat, swap.APICompletions, "":
		return []attempt{
			{swap.APIChat, running(short)},
			{swap.APIChat, usage(short)},
			{swap.APIChat, usage(long)},
			{swap.APIChat, protocol.Capabilities{TokenLimit: short}},
			{swap.APIChat, protocol.Capabilities{TokenLimit: long}},
			{swap.APICompletions, usage(short)},
			{swap.APICompletions, protocol.Capabilities{TokenLimit: short}},
		}
	}
	if api.Unit() != swap.UnitTokens {
		return nil
	}
	return []attempt{{api, usage(short)}, {api, protocol.Capabilities{TokenLimit: short}}}
}

// tryStream streams a few tokens to learn fingerprint and capabilities.
func (p prober) tryStream(ctx context.Context, api swap.API, facts *swap.ArmFacts) error {
	var o Observation
	for _, a := range attempts(api) {
		c, err := NewClient(p.target, ClientOptions{Capabilities: a.caps})
		if err != nil {
			return err
		}
		o = c.Stream(ctx, protocol.Ask{API: a.api, Prompt: probeText, MaxTokens: trialTokens, Timeout: trialTimeout})
		c.Close()
		if o.Outcome == swap.HTTP4xx && o.Status != http.StatusUnauthorized && o.Status != http.StatusForbidden {
			continue
		}
		if o.Outcome.Good() || o.Outcome == swap.Empty {
			facts.Fingerprint = o.Fingerprint
			facts.UsageInStream = a.caps.UsageInStream && o.OutputTokens != nil
			facts.RunningUsage = a.caps.RunningUsage && len(o.ChunkTokens) > 0
			facts.TokenLimitKey = string(a.caps.TokenLimit)
			if a.api == swap.APIChat && o.PromptTokens != nil {
				facts.Setup.ChatTokens = swap.Of(float64(*o.PromptTokens))
			}
			return nil
		}
		break
	}
	if o.Outcome == "" {
		return nil
	}
	return p.trialError(ctx, o)
}

func (p prober) trialError(ctx context.Context, o Observation) error {
	what := fmt.Errorf("a streamed completion of %d tokens ended with %s: %s", trialTokens, o.Outcome, o.Err)
	switch {
	case ctx.Err() != nil:
		return &UnreachableError{URL: p.target.URL, Err: fmt.Errorf("%w: %w", what, ctx.Err())}
	case o.Outcome == swap.ResetBeforeHeaders && o.Status == 0 && o.Headers.IsZero():
		return &UnreachableError{URL: p.target.URL, Err: fmt.Errorf("%w: %w", errNoAnswer, what)}
	case o.Status == 0 && o.Unread != "":
		return &UnreachableError{URL: p.target.URL, Err: errors.New(o.Unread + "; " + o.Remedy)}
	case o.Status == 0:
		return &UnreachableError{URL: p.target.URL, Err: what}
	}
	if o.Unread != "" {
		return &RefusedError{URL: p.target.URL, Status: o.Status, Detail: o.Unread, Next: o.Remedy}
	}
	return &RefusedError{URL: p.target.URL, Status: o.Status, Detail: what.Error()}
}
