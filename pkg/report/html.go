package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"regexp"

	"github.com/swapgate/swapgate/pkg/swap"
)

//go:embed template/*.gohtml
var templates embed.FS

// HTML is the report: one file that needs nothing else, runs no script and asks no server for anything.
func HTML(d Data) ([]byte, error) {
	pages, err := template.New("").Funcs(template.FuncMap{"glue": glue}).ParseFS(templates, "template/*.gohtml")
	if err != nil {
		return nil, fmt.Errorf("the templates of the HTML report do not parse: %w", err)
	}
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "page.gohtml", newPage(d)); err != nil {
		return nil, fmt.Errorf("cannot render the HTML report of run %q: %w", d.Verdict.Provenance.RunID, err)
	}
	return b.Bytes(), nil
}

// page is the report in the order in which it is read. Its texts are plain; the templates escape them.
type page struct {
	Title   string
	Banner  banner
	Gates   gateSection
	Latency latencySection
	Jitter  jitterPart
	Layers  []string
	Steps   stepSection
	Client  clientSection
	Time    timeSection
	Rollout rolloutSection
	WarmUp  warmUpSection
	Notes   []finding
	// Differences are empty where the servers were not compared.
	Differences differencePart
	// Opinions are empty where no other rule was asked.
	Opinions []opinionRow
	Origin   originSection
}

func newPage(d Data) page {
	v := d.Verdict
	figures := &figureIDs{}
	return page{
		Title:       title(v),
		Banner:      newBanner(v),
		Gates:       newGateSection(v, figures),
		Latency:     newLatencySection(d, figures),
		Jitter:      newJitterPart(v),
		Layers:      layerLines(v.Attribution),
		Steps:       newStepSection(d, figures),
		Client:      newClientSection(d),
		Time:        newTimeSection(d, figures),
		Rollout:     newRolloutSection(v, figures),
		WarmUp:      newWarmUpSection(d, figures),
		Notes:       findings(v.Findings),
		Differences: newDifferencePart(v),
		Opinions:    opinions(v),
		Origin:      newOriginSection(v),
	}
}

// numberAndUnit is a number in front of a short unit.
var numberAndUnit = regexp.MustCompile(`(\d) (%|ms|s|pp|tok/s|tokens|GiB)(\W|$)`)

// glue keeps numbers and their units on one line.
func glue(s string) string { return numberAndUnit.ReplaceAllString(s, "$1\u00a0$2$3") }

// unmeasured says why a section has nothing to show; what is such as "gate was judged".
func unmeasured(v swap.Verdict, what string) string {
	if v.Stage == "" || v.Verdict == swap.Pass || v.Verdict == swap.Fail {
		return fmt.Sprintf("n/a: no %s in this run.", what)
	}
	return fmt.Sprintf("n/a: no %s, because the run ended at the stage “%s”.", what, stageName(v.Stage))
}
