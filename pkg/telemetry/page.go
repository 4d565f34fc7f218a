package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// ErrNotMetrics says that a page is something else than Prometheus text, such as a login page.
var ErrNotMetrics = errors.New("not a Prometheus text page")

// page is one parsed scrape, by family name.
type page map[string]*dto.MetricFamily

// series is one labelled number of a family.
type series struct {
	labels map[string]string
	value  float64
}

// parsePage reads a whole Prometheus text page. A page that breaks off or is malformed anywhere is refused whole: half a
// page would look like metrics that vanished.
func parsePage(body []byte) (page, error) {
	if err := looksLikeMetrics(body); err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotMetrics, err)
	}
	return families, nil
}

// looksLikeMetrics names the usual mistakes better than a parser can.
func looksLikeMetrics(body []byte) error {
	head := bytes.TrimSpace(body)
	switch {
	case len(head) == 0:
		return fmt.Errorf("%w: it is empty; switch the server's metrics on", ErrNotMetrics)
	case head[0] == '<':
		return fmt.Errorf("%w: it is HTML or XML; check the URL and whether a login page answers", ErrNotMetrics)
	case json.Valid(head):
		return fmt.Errorf("%w: it is JSON; trtllm-serve has its Prometheus page at /prometheus/metrics", ErrNotMetrics)
	}
	return nil
}

// read returns the series of one alias. A family without the wanted part has none.
func (p page) read(a alias) []series {
	var out []series
	for _, m := range p[a.series].GetMetric() {
		v, ok := number(m, a.part)
		if !ok {
			continue
		}
		if s := (series{labels: labelsOf(m), value: v}); s.matches(a.where) {
			out = append(out, s)
		}
	}
	return out
}

func number(m *dto.Metric, want part) (float64, bool) {
	switch {
	case want == histogramSum && m.GetHistogram() != nil:
		return m.GetHistogram().GetSampleSum(), true
	case want == histogramSum && m.GetSummary() != nil:
		return m.GetSummary().GetSampleSum(), true
	case want == plain && m.GetGauge() != nil:
		return m.GetGauge().GetValue(), true
	case want == plain && m.GetCounter() != nil:
		return m.GetCounter().GetValue(), true
	case want == plain && m.GetUntyped() != nil:
		return m.GetUntyped().GetValue(), true
	}
	return 0, false
}

func labelsOf(m *dto.Metric) map[string]string {
	labels := make(map[string]string, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return labels
}

func (s series) matches(where map[string]string) bool {
	for name, want := range where {
		if s.labels[name] != want {
			return false
		}
	}
	return true
}

// first returns the first label in names that is set.
func (s series) first(names []string) string {
	for _, n := range names {
		if v := s.labels[n]; v != "" {
			return v
		}
	}
	return ""
}

// key identifies a series by its labels, the named ones left out.
func (s series) key(except []string) string {
	kept := make(map[string]string, len(s.labels))
	for n, v := range s.labels {
		kept[n] = v
	}
	for _, n := range except {
		delete(kept, n)
	}
	var b strings.Builder
	for _, n := range sortedKeys(kept) {
		fmt.Fprintf(&b, "%q=%q,", n, kept[n])
	}
	return b.String()
}
