package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// minimal is a file with nothing but what is required; it has four lines.
const minimal = `target: chat
baseline: {url: http://a:8000, model: old}
candidate: {url: http://b:8000, model: new}
store: {endpoint: s3:9000, bucket: runs}
`

// badFile is a file and every line of the error that it must give.
type badFile struct {
	name string
	// added follows the minimal file; whole stands alone.
	added, whole string
	want         []string
}

func (b badFile) text() string {
	if b.added != "" {
		return minimal + b.added + "\n"
	}
	if b.whole != "" {
		return b.whole + "\n"
	}
	return ""
}

func TestParseExplainsEveryProblem(t *testing.T) {
	for _, bad := range slices.Concat(
		badYAML, badValues, badMeanings, badWorkloads, badSteps, badLoads, badOpinions, badRoutes, badRouteKinds, badRollouts, badInPlaces,
	) {
		t.Run(bad.name, func(t *testing.T) {
			_, err := Parse("swap.yaml", []byte(bad.text()), nil)
			require.EqualError(t, err, strings.Join(bad.want, "\n"))

			var all *Error
			require.ErrorAs(t, err, &all)
			require.Len(t, all.Problems, len(bad.want))
		})
	}
}

func TestErrorsRepeatNoSecret(t *testing.T) {
	const secret = "sk-proj-A1b2C3d4E5f6G7h8"
	for _, text := range []string{
		"api_key: SECRET", "api_key: {env: SECRET}", "api_key: {file: SECRET}", "api_key: [SECRET]", "SECRET: 1",
		"model: {SECRET: 1}", "api: SECRET", "url: 'http://x/v1?key=SECRET'", "url: 'http://SECRET@x'", "url: SECRET",
	} {
		text = "target: SECRET\nbaseline:\n  " + text + "\nworkload: {api: SECRET, request_timeout: SECRET}\n"
		_, err := Parse("swap.yaml", []byte(strings.ReplaceAll(text, "SECRET", secret)), nil)
		require.Error(t, err, text)
		require.NotContains(t, err.Error(), secret, text)
	}
}

func TestParseRefusesWhatIsNoText(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"binary", "\x7fELF\x00\x01", "swap.yaml: is a binary file; a configuration is YAML text"},
		{"latin-1", "target: caf\xe9\n", "swap.yaml: is not UTF-8 text; save it as UTF-8"},
		{"utf-16", "\xff\xfet\x00", "swap.yaml: is UTF-16 text; save it as UTF-8"},
		{"large", strings.Repeat("# ten bytes\n", 1<<20), "swap.yaml: is larger than 1 MB; this cannot be a swapgate configuration"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("swap.yaml", []byte(c.data), nil)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestNestedAliasesCannotBlowUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n")
	for i := range 9 {
		name, before := string(rune('b'+i)), string(rune('a'+i))
		ref := "*" + before + "0"
		b.WriteString(name + ": &" + name + "0 [" + strings.Repeat(ref+", ", 9) + ref + "]\n")
	}
	_, err := Parse("swap.yaml", []byte(b.String()), nil)
	require.ErrorContains(t, err, "the document grows too large when its aliases are resolved")
}

func TestProblemsKnowTheirPlace(t *testing.T) {
	_, err := Parse("dir/swap.yaml", []byte(minimal+"load:\n  steps:\n    - {concurrency: 8, hold: 5m}\n    - rate: -3\n"), nil)
	var all *Error
	require.ErrorAs(t, err, &all)
	require.Equal(t, []Problem{{
		File: "dir/swap.yaml", Line: 8, Column: 13, Field: "load.steps[1].rate", Message: "must be greater than 0, got -3",
	}}, all.Problems)
}
