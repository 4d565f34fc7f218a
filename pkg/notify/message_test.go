package notify_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
	"github.com/swapgate/swapgate/pkg/swap"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGoldenMessages(t *testing.T) {
	for _, s := range reporttest.All() {
		t.Run(s.Name, func(t *testing.T) {
			got, err := notify.JSON(notify.NewPayload("#releases", s.Data.Verdict))
			require.NoError(t, err)
			path := filepath.Join("testdata", s.Name+".json")
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(want), string(got)), "run with -update if that is right")
		})
	}
}

// mention is whatever Slack would turn into a mention, a command or a link of the author's choosing.
var mention = regexp.MustCompile(`<[!@#]|@(channel|here|everyone)`)

// link is the one markup that a message may hold.
var link = regexp.MustCompile(`<https?://[^<>|]+\|(Report|Temporal run)>`)

// requireValid holds a payload to the limits that Slack documents.
func requireValid(t require.TestingT, p notify.Payload) {
	require.NotEmpty(t, p.Text)
	require.LessOrEqual(t, utf8.RuneCountInString(p.Text), 4000)
	require.LessOrEqual(t, len(p.Blocks), 50)
	requireHarmless(t, p.Text)
	for _, b := range p.Blocks {
		switch b := b.(type) {
		case *slack.HeaderBlock:
			requireText(t, b.Text, 150)
		case *slack.SectionBlock:
			if b.Text != nil {
				requireText(t, b.Text, 3000)
			}
			require.LessOrEqual(t, len(b.Fields), 10)
			require.True(t, b.Text != nil || len(b.Fields) > 0)
			for _, f := range b.Fields {
				requireText(t, f, 2000)
			}
		case *slack.ContextBlock:
			require.LessOrEqual(t, len(b.ContextElements.Elements), 10)
			for _, e := range b.ContextElements.Elements {
				requireText(t, e.(*slack.TextBlockObject), 3000)
			}
		default:
			require.Failf(t, "unexpected block", "%T", b)
		}
	}
}

func requireText(t require.TestingT, text *slack.TextBlockObject, limit int) {
	require.NotEmpty(t, text.Text)
	require.LessOrEqual(t, utf8.RuneCountInString(text.Text), limit)
	require.True(t, utf8.ValidString(text.Text))
	if text.Type == slack.PlainTextType {
		require.NotRegexp(t, `@(channel|here|everyone)`, text.Text)
		return
	}
	require.True(t, text.Verbatim, "Slack adds no link of its own")
	requireHarmless(t, text.Text)
}

func requireHarmless(t require.TestingT, text string) {
	require.NotRegexp(t, mention, text)
	rest := link.ReplaceAllString(text, "")
	require.NotContains(t, rest, "<")
	require.NotContains(t, rest, ">")
}

const hostile = "<!channel> <@U123> @here @everyone &<https://evil.example|click> *b* `c` \x1b[31mred\r\n\u202e|"

func TestHostileTextStaysText(t *testing.T) {
	for _, s := range []string{hostile, strings.Repeat(hostile, 500), strings.Repeat("&", 20000), strings.Repeat("x", 20000)} {
		v := reporttest.Hostile(s).Verdict
		v.Artifacts.TemporalURL = "https://temporal.example.com/?q=" + s
		requireValid(t, notify.NewPayload("C1", v))
	}
}

func TestAnyVerdictGivesAValidMessage(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", hostile, strings.Repeat("&<", 1600), strings.Repeat("word ", 700)}))
	decision := rapid.SampledFrom([]string{"pass", "fail", "inconclusive", "aborted", "error"})
	rapid.Check(t, func(t *rapid.T) {
		v := reporttest.Hostile(text.Draw(t, "text")).Verdict
		v.Verdict = swap.Decision(rapid.OneOf(text, decision).Draw(t, "verdict"))
		v.Summary, v.Target = text.Draw(t, "summary"), text.Draw(t, "target")
		v.Reasons = nil
		for range rapid.IntRange(0, 8).Draw(t, "reasons") {
			r := swap.Reason{Code: text.Draw(t, "code"), Subject: text.Draw(t, "subject"), Message: text.Draw(t, "message")}
			v.Reasons = append(v.Reasons, r)
		}
		for range rapid.IntRange(0, 12).Draw(t, "gates") {
			v.Gates = append(v.Gates, swap.GateResult{Unit: text.Draw(t, "unit"), Baseline: swap.Of(rapid.Float64().Draw(t, "value"))})
		}
		p := notify.NewPayload("C1", v)
		requireValid(t, p)
		b, err := notify.JSON(p)
		require.NoError(t, err)
		require.True(t, json.Valid(b))
	})
}

func TestMessageShowsWhatDecides(t *testing.T) {
	v := reporttest.FailAtGates().Verdict
	b, err := notify.JSON(notify.NewPayload("C1", v))
	require.NoError(t, err)
	for _, want := range []string{
		"✘ FAIL: chat-prod", "TTFT P99 is 38 % higher", "✘ TTFT P99", "486 → 671 ms", "✘ Error rate",
		"<https://reports.example.com/runs/7f0c/report.html|Report>", "|Temporal run>", "requested by pipeline #4182", "took 41 min 12 s",
	} {
		require.Contains(t, string(b), want)
	}
	require.Less(t, strings.Index(string(b), "Error rate"), strings.Index(string(b), "TPOT P50"), "failed gates come first")
}

func TestMessageSaysWhatDidNotGoAsPlannedInTheLoad(t *testing.T) {
	message := func(v swap.Verdict) string {
		b, err := notify.JSON(notify.NewPayload("C1", v))
		require.NoError(t, err)
		return string(b)
	}
	limited := message(reporttest.FailAtGates().Verdict)
	require.Contains(t, limited, "*Step 4 (concurrency 32)* stopped at a limit: the candidate's error rate was 3.3 %")
	require.Contains(t, limited, "*Knee* baseline none found, candidate at concurrency 16")
	require.NotContains(t, limited, "*Load client*")
	require.Contains(t, message(reporttest.Unbelieved().Verdict), "*Load client* cannot be believed in steps 3, 4: send lateness P99")

	v := reporttest.PassWithRollout().Verdict
	for i := range v.Steps {
		v.Steps[i].Ended.Code = swap.EndedMaxHold
	}
	require.Contains(t, message(v), "and 1 more in the report", "four steps and a knee")
}

func TestOnlyWebAddressesBecomeLinks(t *testing.T) {
	v := reporttest.FailAtGates().Verdict
	v.Artifacts.ReportURL, v.Artifacts.TemporalURL = "javascript:alert(1)", "not a url"
	b, err := notify.JSON(notify.NewPayload("C1", v))
	require.NoError(t, err)
	require.NotContains(t, string(b), "javascript")
	require.NotContains(t, string(b), "Temporal run")
}

func TestAlarmIsSafeAndLinksToTheRun(t *testing.T) {
	v := reporttest.FailInRollout().Verdict
	p := notify.NewAlarm("#ops", "Rollback of <!channel> *x* is stuck", v)
	data, err := notify.JSON(p)
	require.NoError(t, err)
	require.NotContains(t, string(data), "<!channel>")
	require.Contains(t, string(data), v.Artifacts.TemporalURL)
	require.Equal(t, "#ops", p.Channel)
}
