package report_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
	"github.com/swapgate/swapgate/pkg/swap"
)

// hostile is text that tries to break out of every format at once.
const hostile = "<script>alert(1)</script>\"'> | a `b` **c** ]]> --> @channel @octocat #12 [x](javascript:alert(2)) " +
	"http://evil.example ![p](http://evil.example/p.png) \x1b[31mred\x1b]8;;http://evil\x07link\x00\x08\u202egnp.exe\r\n" +
	"# heading\n- [ ] task \xff"

func TestHTMLEscapesWhatComesFromOutside(t *testing.T) {
	html, err := report.HTML(reporttest.Hostile(hostile))
	require.NoError(t, err)
	requireSelfContained(t, html)
	require.NotContains(t, string(html), "<script")
	require.NotContains(t, string(html), "<img")
	require.NotContains(t, string(html), "javascript:alert(2)\"")
	require.Contains(t, string(html), "&lt;script&gt;", "the text itself is shown")
	require.NotContains(t, string(html), "ZgotmplZ", "no value lands where it is not safe")
}

func TestHTMLLinksOnlyToTheWeb(t *testing.T) {
	d := reporttest.PassWithRollout()
	d.Verdict.Artifacts.ReportURL, d.Verdict.Artifacts.TemporalURL = "javascript:alert(1)", "data:text/html,x"
	html, err := report.HTML(d)
	require.NoError(t, err)
	require.NotContains(t, string(html), "javascript:")
	require.NotContains(t, string(html), "data:text")
}

// external finds whatever would make a browser ask a server.
var external = regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed|video|audio|source|base|form)\b|` +
	`\bsrc\s*=|@import|url\(|srcset|xlink:href`)

func requireSelfContained(t *testing.T, html []byte) {
	t.Helper()
	require.Empty(t, external.FindAllString(string(html), -1))
	require.Contains(t, string(html), `<meta http-equiv="Content-Security-Policy" `+
		`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"`)
	require.NotContains(t, string(html), "NaN")
}

func TestHTMLIsSelfContainedAndAccessible(t *testing.T) {
	for _, s := range reporttest.All() {
		t.Run(s.Name, func(t *testing.T) {
			html, err := report.HTML(s.Data)
			require.NoError(t, err)
			requireSelfContained(t, html)
			requireAccessible(t, string(html))
		})
	}
}

func requireAccessible(t *testing.T, html string) {
	t.Helper()
	require.Contains(t, html, `<html lang="en">`)
	level := 0
	for _, h := range regexp.MustCompile(`<h([1-6])[ >]`).FindAllStringSubmatch(html, -1) {
		next := int(h[1][0] - '0')
		require.LessOrEqual(t, next, level+1, "headings skip no level")
		level = next
	}
	require.Equal(t, 1, strings.Count(html, "<h1"))
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(html, -1) {
		require.False(t, ids[id[1]], "id %q is there twice", id[1])
		ids[id[1]] = true
	}
	for _, refs := range regexp.MustCompile(`aria-labelledby="([^"]+)"`).FindAllStringSubmatch(html, -1) {
		for ref := range strings.FieldsSeq(refs[1]) {
			require.True(t, ids[ref], "nothing has the id %q", ref)
		}
	}
	for _, th := range regexp.MustCompile(`<th\b[^>]*>`).FindAllString(html, -1) {
		require.Contains(t, th, "scope=")
	}
	for _, svg := range regexp.MustCompile(`<svg\b[^>]*>`).FindAllString(html, -1) {
		require.True(t, strings.Contains(svg, `aria-hidden="true"`) || strings.Contains(svg, `role="img" aria-labelledby=`), svg)
	}
}

func TestMarkdownEscapesWhatComesFromOutside(t *testing.T) {
	md := string(report.Markdown(reporttest.Hostile(hostile).Verdict))
	address := regexp.MustCompile(`\[Temporal run\]\(https://temporal\.example\.com/[^\s()<>|]*\)\n$`)
	require.Regexp(t, address, md, "the one true link keeps its address to itself")
	md = address.ReplaceAllString(md, "")
	require.NotContains(t, md, "<script")
	require.NotContains(t, md, "@channel")
	require.NotContains(t, md, "@octocat")
	require.NotRegexp(t, `(^|[^\\])#12`, md)
	require.NotRegexp(t, `[^\\]\]\(`, md)
	require.NotContains(t, md, " http://evil", "no bare address becomes a link")
	require.NotRegexp(t, `(?m)^(# |- \[)`, md)
	for line := range strings.Lines(md) {
		if strings.HasPrefix(line, "| ") {
			require.Len(t, regexp.MustCompile(`(^|[^\\])\|`).FindAllString(line, -1), 8, "a row has seven cells: %s", line)
		}
	}
}

func TestJUnitIsValidXMLForAnyText(t *testing.T) {
	bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.Just(hostile), rapid.String(), bytes).Draw(t, "text")
		out, err := report.JUnit(reporttest.Hostile(text).Verdict)
		require.NoError(t, err)
		d := xml.NewDecoder(strings.NewReader(string(out)))
		for {
			if _, err := d.Token(); err != nil {
				require.ErrorIs(t, err, io.EOF)
				return
			}
		}
	})
}

func TestJUnitIsGreenOnlyForAPass(t *testing.T) {
	for _, s := range reporttest.All() {
		out, err := report.JUnit(s.Data.Verdict)
		require.NoError(t, err)
		var suites struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
		}
		require.NoError(t, xml.Unmarshal(out, &suites))
		require.Equal(t, len(s.Data.Verdict.Gates)+1, suites.Tests)
		require.Equal(t, s.Data.Verdict.Verdict == swap.Pass, suites.Failures+suites.Errors == 0, s.Name)
	}
}

func TestTextObeysItsWidthAndLetsNoEscapeThrough(t *testing.T) {
	d := reporttest.Hostile(hostile)
	d.Verdict.Provenance.RunID, d.Verdict.Artifacts.TemporalURL = "r", ""
	for _, width := range []int{0, 30, 40, 80, 200} {
		out := string(report.Text(d.Verdict, width, false))
		require.True(t, utf8.ValidString(out))
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			require.LessOrEqual(t, utf8.RuneCountInString(line), max(width, 80*(1-min(width, 1))), line)
			require.NotContains(t, line, "\u202e")
			require.False(t, strings.ContainsFunc(line, unicode.IsControl), "%q", line)
		}
	}
	coloured := string(report.Text(d.Verdict, 80, true))
	for _, sequence := range regexp.MustCompile(`\x1b.{0,6}`).FindAllString(coloured, -1) {
		require.Regexp(t, `^\x1b\[(0|1|2|3[1-5](;1)?)m`, sequence)
	}
}

func TestTextTellsWhyAGateIsNotDecidedOnce(t *testing.T) {
	v := reporttest.Inconclusive().Verdict
	why := "time to first token P99 may be 18 % higher; about 46 blocks per arm would decide it"
	v.Gates[0].Reason.Message, v.Reasons[0].Message = why, why
	require.Equal(t, 1, strings.Count(string(report.Text(v, 200, false)), why))

	out := string(report.Text(reporttest.Unbelieved().Verdict, 200, false))
	require.NotContains(t, out, "would otherwise be", "that the load client cannot be believed is said once for all gates")
	require.Equal(t, 1, strings.Count(out, "sent late by up to"))
}

func TestShortFormsSayWhatDidNotGoAsPlanned(t *testing.T) {
	limited, unbelieved := reporttest.FailAtGates().Verdict, reporttest.Unbelieved().Verdict
	fine := reporttest.PassWithRollout().Verdict
	fine.Capacity = nil
	for form, render := range map[string]func(swap.Verdict) string{
		"text":     func(v swap.Verdict) string { return string(report.Text(v, 200, false)) },
		"markdown": func(v swap.Verdict) string { return string(report.Markdown(v)) },
	} {
		t.Run(form, func(t *testing.T) {
			require.Contains(t, render(limited), "stopped at a limit: the candidate's error rate was 3.3 %")
			require.Contains(t, render(limited), "candidate at concurrency 16 (523 tok/s, TTFT P95 710 ms)")
			require.NotContains(t, render(limited), "oad client")
			require.Contains(t, render(unbelieved), "cannot be believed in steps 3, 4: send lateness P99, CPU share, throttled share")
			require.NotContains(t, render(fine), "Knee")
			require.NotContains(t, render(fine), "oad client")
		})
	}
	many := fine
	for range 30 {
		many.Steps = append(many.Steps, swap.StepResult{Step: 9, Ended: swap.StepEnd{Code: swap.EndedSteady}})
	}
	require.Contains(t, string(report.Markdown(many)), "- and 20 more")
}

func TestJSONIsStableAndReadable(t *testing.T) {
	v := reporttest.PassWithRollout().Verdict
	out, err := report.JSON(v)
	require.NoError(t, err)
	var back swap.Verdict
	require.NoError(t, json.Unmarshal(out, &back))
	again, err := report.JSON(back)
	require.NoError(t, err)
	require.Equal(t, string(out), string(again))

	v.Gates[0].Level = math.NaN()
	_, err = report.JSON(v)
	var unsupported *json.UnsupportedValueError
	require.ErrorAs(t, err, &unsupported)
}

func TestAnEmptyVerdictIsNoPass(t *testing.T) {
	html, err := report.HTML(report.Data{})
	require.NoError(t, err)
	require.Contains(t, string(html), "UNKNOWN")
	require.Contains(t, string(html), "n/a")
	require.Contains(t, string(report.Text(swap.Verdict{}, 80, false)), "UNKNOWN")
	require.Contains(t, string(report.Markdown(swap.Verdict{})), "UNKNOWN")
}
