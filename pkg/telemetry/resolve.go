package telemetry

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// ErrNoKnownMetric says that a page is well formed and holds none of the metrics that were looked for.
var ErrNoKnownMetric = errors.New("no known metric on the page")

// ErrAmbiguous says that a page holds one series twice, so that its value is not known.
var ErrAmbiguous = errors.New("the same series appears twice")

// recognise reads the page in the dialect that knows most of its metrics; the earlier dialect wins a tie.
func recognise(p page, dialects []dialect) ([]Sample, error) {
	var best []Sample
	var bestErr error
	for _, d := range dialects {
		if got, err := d.resolve(p); len(got) > len(best) || best == nil && bestErr == nil {
			best, bestErr = got, err
		}
	}
	if len(best) == 0 && bestErr == nil {
		return nil, ErrNoKnownMetric
	}
	return best, bestErr
}

// resolve reads every metric of the dialect by the first of its aliases that the page holds. Metrics of which a series
// appears twice are left out and reported.
func (d dialect) resolve(p page) ([]Sample, error) {
	var out []Sample
	var faults []error
	done := map[string]bool{}
	for _, a := range d.aliases {
		if done[a.metric] {
			continue
		}
		found, err := d.readings(p, a)
		if err != nil {
			faults = append(faults, err)
		}
		done[a.metric] = err != nil || len(found) > 0
		out = append(out, found...)
	}
	return out, errors.Join(faults...)
}

// readings turns the series of one alias into one sample, or into one for each GPU.
func (d dialect) readings(p page, a alias) ([]Sample, error) {
	all := p.read(a)
	if twice(all) {
		return nil, fmt.Errorf("%s: %w", a.series, ErrAmbiguous)
	}
	if d.gpu != nil {
		return d.gpu.readings(a, all), nil
	}
	values := collapse(all, func(s series) string { return s.key(d.copies) })
	if len(values) == 0 {
		return nil, nil
	}
	return []Sample{{Metric: a.metric, Origin: a.series, Value: a.scaled(a.fold.of(values))}}, nil
}

// readings gives each GPU its sample. Series that differ only in other labels (pods that share the GPU) are copies.
func (g gpuLabels) readings(a alias, all []series) []Sample {
	ids := map[string]Sample{}
	key := func(s series) string {
		id := Sample{GPU: s.first(g.index), GPUUUID: s.first(g.uuid)}
		if instance := s.first(g.instance); instance != "" {
			id.GPU += "/" + instance
		}
		k := id.GPU + " " + id.GPUUUID
		ids[k] = id
		return k
	}
	values := collapse(all, key)
	out := make([]Sample, 0, len(values))
	for _, k := range sortedKeys(values) {
		s := ids[k]
		s.Metric, s.Origin, s.Value = a.metric, a.series, a.scaled(values[k])
		out = append(out, s)
	}
	return out
}

// collapse keeps the largest finite value of each group.
func collapse(all []series, group func(series) string) map[string]float64 {
	values := map[string]float64{}
	for _, s := range all {
		if math.IsNaN(s.value) || math.IsInf(s.value, 0) {
			continue
		}
		k := group(s)
		if v, ok := values[k]; !ok || s.value > v {
			values[k] = s.value
		}
	}
	return values
}

func (f fold) of(values map[string]float64) float64 {
	sum, most := 0.0, math.Inf(-1)
	for _, k := range sortedKeys(values) {
		sum += values[k]
		most = max(most, values[k])
	}
	if f == foldMax {
		return most
	}
	return sum
}

func twice(all []series) bool {
	seen := map[string]bool{}
	for _, s := range all {
		k := s.key(nil)
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
