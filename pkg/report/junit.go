package report

import (
	"encoding/xml"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	ClassName string       `xml:"classname,attr"`
	Name      string       `xml:"name,attr"`
	Time      string       `xml:"time,attr"`
	Failure   *junitResult `xml:"failure,omitempty"`
	Error     *junitResult `xml:"error,omitempty"`
	Skipped   *junitResult `xml:"skipped,omitempty"`
	Output    string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit is the verdict as a JUnit file: one test case per gate (failed, or skipped where it is inconclusive) and one, named
// "verdict", for the run. Only a pass makes "verdict" pass: most CI servers take a file with nothing but skipped cases for
// success, and an inconclusive run is none.
func JUnit(v swap.Verdict) ([]byte, error) {
	suite := junitSuite{Name: target(v), Time: seconds(v), Timestamp: timestamp(v), Properties: junitProperties(v)}
	for _, g := range v.Gates {
		suite.add(gateCase(v, g))
	}
	suite.add(verdictCase(v))
	all := junitSuites{
		Name: "swapgate", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Skipped: suite.Skipped,
		Suites: []junitSuite{suite},
	}
	body, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("cannot write the verdict of run %q as JUnit: %w", v.Provenance.RunID, err)
	}
	return append([]byte(xml.Header), append(body, '\n')...), nil
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func gateCase(v swap.Verdict, g swap.GateResult) junitCase {
	c := newCase(v, phrase.Gate(g.Gate))
	details := fmt.Sprintf("baseline %s, candidate %s, change %s (%s), %s, %s",
		phrase.Quantity(g.Baseline, g.Unit), phrase.Quantity(g.Candidate, g.Unit), phrase.Change(g), phrase.Bounds(g),
		phrase.Tolerance(g), phrase.Evidence(g))
	result := &junitResult{Message: phrase.Sentence(g), Type: phrase.Clean(g.Reason.Code), Text: details}
	switch g.Decision {
	case swap.Pass:
		c.Output = phrase.Sentence(g) + "\n" + details
	case swap.Inconclusive:
		c.Skipped = &junitResult{Message: result.Message}
		c.Output = details
	default:
		c.Failure = result
	}
	return c
}

func verdictCase(v swap.Verdict) junitCase {
	c := newCase(v, "verdict")
	result := &junitResult{Message: phrase.Word(v.Verdict) + ": " + phrase.Summary(v), Type: newBadge(v.Verdict).Class}
	for _, r := range v.Reasons {
		result.Text += phrase.Clean(r.Code) + ": " + phrase.Reason(r) + "\n"
	}
	switch v.Verdict {
	case swap.Pass:
		c.Output = phrase.Summary(v)
	case swap.Fail, swap.Inconclusive:
		c.Failure = result
	default:
		c.Error = result
	}
	return c
}

func newCase(v swap.Verdict, name string) junitCase {
	return junitCase{ClassName: "swapgate." + target(v), Name: name, Time: "0"}
}

func junitProperties(v swap.Verdict) []junitProperty {
	p := v.Provenance
	return []junitProperty{
		{"run_id", orNA(p.RunID)},
		{"workflow_id", orNA(p.WorkflowID)},
		{"baseline", phrase.Model(v.Arms.Baseline)},
		{"candidate", phrase.Model(v.Arms.Candidate)},
		{"traffic", traffic(v.FinalWeights)},
		{"evidence_sha256", orNA(p.EvidenceSHA256)},
		{"swapgate", orNA(p.Version)},
	}
}

func seconds(v swap.Verdict) string {
	d := v.Provenance.Ended.Sub(v.Provenance.Started)
	if v.Provenance.Started.IsZero() || d < 0 {
		return "0"
	}
	return fmt.Sprintf("%.3f", d.Seconds())
}

func timestamp(v swap.Verdict) string {
	if v.Provenance.Started.IsZero() {
		return ""
	}
	return v.Provenance.Started.UTC().Format(time.RFC3339)
}
