package pressure

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// Source is one page that says how full an arm is.
type Source struct {
	// Kind is engine or dcgm.
	Kind swap.SourceKind
	URL  string
	// Key is sent as a bearer token; empty for none. Most engines leave their metrics page open, llama.cpp does not.
	Key secret.Value
}

// Sources are the pages of one arm that are read over HTTP: its engine's, and every dcgm-exporter whose GPUs are its own or shared.
// key is the arm's; exporters do not get it.
func Sources(t swap.Telemetry, arm swap.Arm, facts swap.ArmFacts, key secret.Value) []Source {
	var out []Source
	if src, ok := EngineSource(t, facts, key); ok {
		out = append(out, src)
	}
	for _, s := range t.Sources {
		if s.Kind == swap.SourceDCGM && (s.Arm == arm || s.Arm == "") {
			out = append(out, Source{Kind: swap.SourceDCGM, URL: s.URL})
		}
	}
	return out
}

// EngineSource is the metrics page of an engine; false where it has none or it is not to be read.
func EngineSource(t swap.Telemetry, facts swap.ArmFacts, key secret.Value) (Source, bool) {
	if wanted := t.EngineMetrics; facts.MetricsPage == "" || (wanted != nil && !*wanted) {
		return Source{}, false
	}
	return Source{Kind: swap.SourceEngine, URL: strings.TrimRight(facts.URL, "/") + facts.MetricsPage, Key: key}, true
}

// FetchCache reads the state of an engine's KV cache now, within 5 s. It fails as ReadCache does, and where the page cannot be had.
func FetchCache(ctx context.Context, client *http.Client, engine Source) (CacheState, error) {
	families, err := engine.families(ctx, client, cacheFamilies())
	if err != nil {
		return CacheState{}, err
	}
	state, err := cacheState(families)
	return state, engine.about(err)
}

func (s Source) families(ctx context.Context, client *http.Client, names map[string]bool) (telemetry.Families, error) {
	body, err := telemetry.Fetch(ctx, client, s.URL, s.Key.Reveal())
	if err != nil {
		return telemetry.Families{}, err
	}
	families, err := telemetry.ReadFamilies(body, names)
	return families, s.about(err)
}

// about says which page an error is about, without the query and the credentials of its address.
func (s Source) about(err error) error {
	if err == nil {
		return nil
	}
	where := string(s.Kind)
	if u, bad := url.Parse(s.URL); bad == nil {
		where = u.Host + u.Path
	}
	return fmt.Errorf("metrics page of %s: %w", where, err)
}
