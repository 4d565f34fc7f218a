package telemetry

import (
	"bytes"
	"fmt"
)

// Families is a Prometheus text page of which only some families were read.
type Families struct{ page page }

// Labelled is one series of a family.
type Labelled struct {
	Labels map[string]string
	Value  float64
}

// EngineFamilies are the names under which any known engine reports the canonical metrics.
func EngineFamilies(metrics ...string) map[string]bool { return familiesOf(engineDialects(), metrics) }

// DCGMFamilies are the names under which dcgm-exporter reports the canonical metrics.
func DCGMFamilies(metrics ...string) map[string]bool {
	return familiesOf([]dialect{dcgmExporter()}, metrics)
}

func familiesOf(dialects []dialect, metrics []string) map[string]bool {
	wanted := map[string]bool{}
	for _, m := range metrics {
		wanted[m] = true
	}
	names := map[string]bool{}
	for _, d := range dialects {
		for _, a := range d.aliases {
			if wanted[a.metric] {
				names[a.series] = true
			}
		}
	}
	return names
}

// ReadFamilies reads the named families of a page. The rest is skipped unparsed, which makes a large page cheap. A page that is
// not Prometheus text, that is cut off, or in which a wanted series is malformed is refused whole (ErrNotMetrics).
func ReadFamilies(body []byte, names map[string]bool) (Families, error) {
	if err := looksLikeMetrics(body); err != nil {
		return Families{}, err
	}
	if body[len(body)-1] != '\n' {
		return Families{}, fmt.Errorf("%w: its last line is cut off", ErrNotMetrics)
	}
	kept := keep(body, names)
	if len(kept) == 0 {
		return Families{}, nil
	}
	p, err := parsePage(kept)
	return Families{page: p}, err
}

// Series are the series of one family, as they stand on the page.
func (f Families) Series(name string) []Labelled {
	var out []Labelled
	for _, s := range f.page.read(alias{series: name}) {
		out = append(out, Labelled{Labels: s.labels, Value: s.value})
	}
	return out
}

// Engine reads the canonical metrics of an inference engine. It fails with ErrNoKnownMetric where there is none; an error beside
// samples names what was left out.
func (f Families) Engine() ([]Sample, error) { return recognise(f.page, engineDialects()) }

// DCGM reads the canonical metrics of each GPU of a dcgm-exporter. It fails as Engine does.
func (f Families) DCGM() ([]Sample, error) { return recognise(f.page, []dialect{dcgmExporter()}) }

// keep returns the lines of a page that give the type or a series of a wanted family.
func keep(body []byte, names map[string]bool) []byte {
	var kept []byte
	for line := range bytes.Lines(body) {
		text := bytes.TrimLeft(line, " \t")
		// A name in quotes stands inside the braces; such pages are rare, so the parser looks at all of their lines.
		if text[0] == '{' || names[string(family(text))] {
			kept = append(kept, line...)
		}
	}
	return kept
}

// family is the name that a line is about; empty for a comment or an empty line.
func family(line []byte) []byte {
	rest, isType := bytes.CutPrefix(line, []byte("# TYPE "))
	if !isType && line[0] == '#' {
		return nil
	}
	if i := bytes.IndexByte(rest, '{'); i >= 0 {
		return bytes.TrimRight(rest[:i], " \t")
	}
	if i := bytes.IndexAny(rest, " \t\n"); i >= 0 {
		return rest[:i]
	}
	return rest
}
