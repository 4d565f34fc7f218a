package engine

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// OpenAICompatible is the engine name of a server that answers like OpenAI's API and says nothing else of itself.
const OpenAICompatible = "openai-compatible"

// Probe asks a server what it is: engine and version, whether it serves the target's model, context length, metrics page,
// and, with a completion of a few tokens streamed over the interface that the load will use, its fingerprint and what a
// request may contain.
//
// It fails with *UnreachableError, *RefusedError (status, such as 401) or *ModelMismatchError. The client should have a
// timeout of its own for the small pages; ctx bounds the whole.
func Probe(ctx context.Context, hc *http.Client, t Target, api swap.API) (swap.ArmFacts, error) {
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
	if n := card.Meta.NParams; n > 0 {
		facts.Billions = swap.Of(n / 1e9)
	}
	facts.Engine, facts.Version = p.detect(ctx, card, &facts)
	path, metrics := p.metricsPage(ctx)
	facts.MetricsPage = path
	if err := p.tryStream(ctx, api, &facts); err != nil {
		return swap.ArmFacts{}, err
	}
	p.setup(ctx, &facts, metrics)
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
		// NParams is the number of the model's parameters.
		NParams float64 `json:"n_params"`
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
		return modelList{}, p.noModels(page)
	}
	list.server = page.header.Get("Server")
	return list, nil
}

// refused explains a server without /v1/models; one that speaks only Triton's own protocol gets a hint.
func (p prober) refused(ctx context.Context, page page) error {
	e := &RefusedError{URL: p.target.URL, Status: page.status, Detail: "GET /v1/models" + p.target.after(page)}
	if page.status == http.StatusNotFound {
		if v2, err := p.get(ctx, "/v2"); err == nil && v2.has("name", "version", "extensions") {
			e.Detail = "this is Triton's KServe interface; use the URL of Triton's OpenAI-compatible frontend"
		}
	}
	return e
}

// noModels explains a page that is not the list of models.
func (p prober) noModels(pg page) error {
	const asked = "GET /v1/models"
	kind := mediaType(pg.header)
	u := unread{
		what: fmt.Sprintf("%s was answered with %s and not with a list of models%s", asked, named(kind), p.target.beginning(pg.body)),
		next: "check that the URL is the base of an OpenAI-compatible server, without /v1",
	}
	if isPage(kind, pg.body) {
		u = p.target.page(asked, kind, pg.body)
	}
	return &RefusedError{URL: p.target.URL, Status: pg.status, Detail: u.what + p.target.after(pg), Next: u.next}
}

// after names the URL to which a redirect led; empty if none did.
func (t Target) after(pg page) string {
	if pg.moved == nil {
		return ""
	}
	return ", after a redirect to " + t.quote([]byte(public(pg.moved)))
}

// metricsPage finds the Prometheus page; its path is empty if there is none.
func (p prober) metricsPage(ctx context.Context) (path string, body []byte) {
	for _, path := range []string{"/metrics", "/prometheus/metrics"} {
		page, err := p.get(ctx, path)
		if err == nil && page.status == http.StatusOK && looksLikeMetrics(page) {
			return path, page.body
		}
	}
	return "", nil
}

func looksLikeMetrics(pg page) bool {
	kind := pg.header.Get("Content-Type")
	text := strings.HasPrefix(kind, "text/plain") || strings.HasPrefix(kind, "application/openmetrics-text")
	return text && (len(pg.body) == 0 || strings.Contains(string(pg.body), "# TYPE "))
}
