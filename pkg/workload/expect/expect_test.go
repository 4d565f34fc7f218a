package expect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestScore(t *testing.T) {
	for _, tt := range []struct {
		expect, answer string
		want           float64
	}{
		{`{"contains": "Paris"}`, "It is Paris.", 1},
		{`{"contains": "Paris"}`, "It is paris.", 0},
		{`{"contains": "Paris"}`, "", 0},
		{`{"contains": ["Paris", "paris"]}`, "It is paris.", 1},
		{`{"equals": "42"}`, " 42\n", 1},
		{`{"equals": " 42 "}`, "42", 1},
		{`{"equals": "42"}`, "42.", 0},
		{`{"equals": ["yes", "Yes"]}`, "Yes", 1},
		{`{"regexp": "(?i)^par[ií]s"}`, "PARIS it is", 1},
		{`{"regexp": "^\\d+$"}`, "4 2", 0},
		{`{"regexp": ["^a", "^b"]}`, "bee", 1},
		{`{"json": true}`, " {\"a\": [1, 2]}\n", 1},
		{`{"json": true}`, "```json\n{}\n```", 0},
		{`{"json": true}`, `{"a": 1`, 0},
		{`[{"json": true}, {"contains": "\"a\""}, {"contains": "b"}, {"contains": "c"}]`, `{"a": "b"}`, .75},
		{` [ {"contains": "x"} ] `, "x", 1},
	} {
		e, err := Parse([]byte(tt.expect))
		require.NoError(t, err, tt.expect)
		require.InDelta(t, tt.want, e.Score(tt.answer), 1e-12, "%s of %q", tt.expect, tt.answer)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	many := `["a"` + strings.Repeat(`, "a"`, most) + `]`
	for expect, says := range map[string]string{
		`{}`:                                 "with exactly one of contains",
		`null`:                               "with exactly one of contains",
		`"text"`:                             "with exactly one of contains",
		`7`:                                  "with exactly one of contains",
		`{"contains": "a", "json": true}`:    "with exactly one of contains",
		`{"contain": "a"}`:                   "with exactly one of contains",
		`[{"contains": "a"}, {"json": 1}]`:   "json must be true",
		`{"json": false}`:                    "json must be true",
		`[]`:                                 "from 1 to 100 conditions",
		`[[{"contains": "a"}]]`:              "with exactly one of contains",
		`{"contains": []}`:                   "take a text, or a list",
		`{"contains": null}`:                 "take a text, or a list",
		`{"contains": ["a", null]}`:          "take a text, or a list",
		`{"contains": 7}`:                    "take a text, or a list",
		`{"contains": ["a", 7]}`:             "take a text, or a list",
		`{"contains": ` + many + `}`:         "take a text, or a list",
		`{"contains": ""}`:                   "must not be empty",
		`{"equals": [" "]}`:                  "must not be empty",
		`{"regexp": "("}`:                    "must be a regular expression (RE2): error parsing regexp",
		`{"contains": "secret", "x": "moo"}`: "with exactly one of contains",
	} {
		_, err := Parse([]byte(expect))
		require.ErrorContains(t, err, says, expect)
		require.NotContains(t, err.Error(), "secret")
	}
}

// A score is a share, and more alternatives never lower it.
func TestScoreIsAShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`[a-c]{1,3}`), 1, 5).Draw(t, "texts")
		answer := rapid.StringMatching(`[a-c ]{0,8}`).Draw(t, "answer")
		var all, any condition
		for _, text := range texts {
			all = append(all, contains(text))
		}
		any = append(any, all...)
		e := Expectation{conditions: []condition{any}}
		for _, holds := range all {
			e.conditions = append(e.conditions, condition{holds})
		}
		score := e.Score(answer)
		require.GreaterOrEqual(t, score, 0.)
		require.LessOrEqual(t, score, 1.)
		one := Expectation{conditions: []condition{any}}
		for _, holds := range all {
			require.GreaterOrEqual(t, one.Score(answer), (&Expectation{conditions: []condition{{holds}}}).Score(answer))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"contains":"a"}`, `[{"regexp":["a","("]},{"json":true}]`, `{"json":tru`, "[", "\xff"} {
		f.Add(seed, "answer")
	}
	f.Fuzz(func(t *testing.T, in, answer string) {
		e, err := Parse([]byte(in))
		require.Equal(t, err == nil, e != nil)
		if err == nil {
			score := e.Score(answer)
			require.True(t, score >= 0 && score <= 1)
		}
	})
}
