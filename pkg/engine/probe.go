package engine

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// OpenAICompatible is the engine name of a server that answers like OpenAI's API and says nothing else of itself.
const OpenAICompatible = "openai-compatible"

// Probe asks a server what it is: engine and version, whether it serves the target's model, context length, metrics page,
// and, with a streamed completion of a few tokens, its fingerprint and what a request may contain.
//
// It fails with *UnreachableError, *RefusedError (status, such as 401) or *ModelMismatchError. The client should have a
// timeout of its own for the small pages; ctx bounds the whole.
func Probe(ctx context.Context, hc *http.Client, t Target) (swap.ArmFacts, error) {
	p := prober{http: hc, target: t}
	models, err := p.models(ctx)
	if err != nil {
		return swap.ArmFacts{}, err
	}
	card, served := models.find(t.Model)
	if !served {
		return swap.ArmFacts{}, &ModelMismatchError{URL: t.URL, Want: t.Model, Served: models.names()}
	}
	facts := swap.ArmFacts{URL: t.URL, Model: t.Model, MaxModelLen: card.contextLength()}
	facts.Engine, facts.Version = p.detect(ctx, card, &facts)
	facts.MetricsPage = p.metricsPage(ctx)
	if err := p.tryStream(ctx, &facts); err != nil {
		return swap.ArmFacts{}, err
	}
	return facts, nil
}

type prober struct {
	http   *http.Client
	target Target
}

// modelList is the answer of /v1/models.
type modelList struct {
	Data []modelCard `json:"data"`
	// server is the Server header of the answer.
	server string
}

type modelCard struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen *int64 `json:"max_model_len"`
	Meta        struct {
		NCtx *int64 `json:"n_ctx"`
	} `json:"meta"`
}

func (c modelCard) contextLength() swap.Value {
	for _, n := range []*int64{c.MaxModelLen, c.Meta.NCtx} {
		if n != nil && *n > 0 {
			return swap.Of(float64(*n))
		}
	}
	return swap.Absent()
}

func (l modelList) names() []string {
	names := make([]string, len(l.Data))
	for i, m := range l.Data {
		names[i] = m.ID
	}
	slices.Sort(names)
	return names
}

// find also accepts Ollama's habit of listing "name" as "name:latest".
func (l modelList) find(want string) (modelCard, bool) {
	for _, m := range l.Data {
		if m.ID == want || m.ID == want+":latest" {
			return m, true
		}
	}
	return modelCard{}, false
}

func (p prober) models(ctx context.Context) (modelList, error) {
	page, err := p.get(ctx, "/v1/models")
	if err != nil {
		return modelList{}, &UnreachableError{URL: p.target.URL, Err: err}
	}
	if page.status != http.StatusOK {
		return modelList{}, p.refused(ctx, page)
	}
	var list modelList
	if !page.json(&list) {
		return modelList{}, &RefusedError{URL: p.target.URL, Status: page.status, Detail: "/v1/models is not a list of models"}
	}
	list.server = page.header.Get("Server")
	return list, nil
}

// refused explains a server without /v1/models; one that speaks only Triton's own protocol gets a hint.
func (p prober) refused(ctx context.Context, page page) error {
	e := &RefusedError{URL: p.target.URL, Status: page.status, Detail: "GET /v1/models"}
	if page.status == http.StatusNotFound {
		if v2, err := p.get(ctx, "/v2"); err == nil && v2.has("name", "version", "extensions") {
			e.Detail = "this is Triton's KServe interface; use the URL of Triton's OpenAI-compatible frontend"
		}
	}
	return e
}

// metricsPage finds the Prometheus page; empty if there is none.
func (p prober) metricsPage(ctx context.Context) string {
	for _, path := range []string{"/metrics", "/prometheus/metrics"} {
		page, err := p.get(ctx, path)
		if err == nil && page.status == http.StatusOK && looksLikeMetrics(page) {
			return path
		}
	}
	return ""
}

func looksLikeMetrics(pg page) bool {
	kind := pg.header.Get("Content-Type")
	text := strings.HasPrefix(kind, "text/plain") || strings.HasPrefix(kind, "application/openmetrics-text")
	return text && (len(pg.body) == 0 || strings.Contains(string(pg.body), "# TYPE "))
}

// attempt is one form of the trial request.
type attempt struct {
	api  swap.API
	caps Capabilities
}

// attempts lists the forms from the most to the least informative. A server that refuses a field with a 4xx gets the next.
var attempts = []attempt{
	{swap.APIChat, Capabilities{UsageInStream: true, TokenLimit: MaxTokensKey}},
	{swap.APIChat, Capabilities{UsageInStream: true, TokenLimit: MaxCompletionTokensKey}},
	{swap.APIChat, Capabilities{TokenLimit: MaxTokensKey}},
	{swap.APIChat, Capabilities{TokenLimit: MaxCompletionTokensKey}},
	{swap.APICompletions, Capabilities{UsageInStream: true, TokenLimit: MaxTokensKey}},
	{swap.APICompletions, Capabilities{TokenLimit: MaxTokensKey}},
}

const (
	trialTokens = 4
	// trialTimeout leaves time for a server that loads the model on its first request.
	trialTimeout = 2 * time.Minute
)

// tryStream streams a few tokens to learn fingerprint and capabilities.
func (p prober) tryStream(ctx context.Context, facts *swap.ArmFacts) error {
	transport := p.http.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	var o Observation
	for _, a := range attempts {
		c := clientOver(transport, p.target, a.caps)
		o = c.Stream(ctx, Ask{API: a.api, Prompt: "Say hello.", MaxTokens: trialTokens, Timeout: trialTimeout})
		if o.Outcome == swap.HTTP4xx && o.Status != http.StatusUnauthorized && o.Status != http.StatusForbidden {
			continue
		}
		if o.Outcome.Good() || o.Outcome == swap.Empty {
			facts.Fingerprint = o.Fingerprint
			facts.UsageInStream = a.caps.UsageInStream && o.OutputTokens != nil
			facts.TokenLimitKey = string(a.caps.TokenLimit)
			return nil
		}
		break
	}
	return p.trialError(ctx, o)
}

func (p prober) trialError(ctx context.Context, o Observation) error {
	what := fmt.Errorf("a streamed completion of %d tokens ended with %s: %s", trialTokens, o.Outcome, o.Err)
	switch {
	case ctx.Err() != nil:
		return &UnreachableError{URL: p.target.URL, Err: fmt.Errorf("%w: %w", what, ctx.Err())}
	case o.Status == 0:
		return &UnreachableError{URL: p.target.URL, Err: what}
	}
	return &RefusedError{URL: p.target.URL, Status: o.Status, Detail: what.Error()}
}
