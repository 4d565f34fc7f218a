package admin

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestWhatProvesASwap(t *testing.T) {
	told, untold := Capabilities{Identity: true}, Capabilities{}
	state := func(digest, fingerprint string, golden ...string) swap.EngineState {
		return swap.EngineState{Digest: digest, Fingerprint: fingerprint, Golden: golden}
	}
	before := state("d1", "f1", "a", "b")
	for name, tc := range map[string]struct {
		can   Capabilities
		known *swap.EngineState
		now   swap.EngineState
		equal bool
		want  bool
	}{
		"all that changes has changed":                     {can: untold, now: state("d2", "f1", "a", "c"), want: true},
		"the answers alone":                                {can: untold, now: state("", "", "x", "y"), want: true},
		"the checksum alone":                               {can: untold, now: state("d2", ""), want: true},
		"the engine's word where it counts":                {can: told, now: state("", ""), want: true},
		"the engine's word where it does not":              {can: untold, now: state("", "")},
		"the old checksum":                                 {can: told, now: state("d1", "", "x", "y")},
		"the old checksum, permitted":                      {can: told, now: state("d1", "", "x", "y"), equal: true, want: true},
		"the old answers":                                  {can: told, now: state("d2", "", "a", "b")},
		"the old answers, permitted, with a new checksum":  {can: untold, now: state("d2", "", "a", "b"), equal: true, want: true},
		"the old answers, permitted, and nothing else":     {can: untold, now: state("", "", "a", "b"), equal: true},
		"another fingerprint is not another model":         {can: untold, now: state("", "f2")},
		"unsteady answers prove nothing":                   {can: untold, now: state("", "", "", "")},
		"unsteady answers speak against nothing":           {can: told, now: state("", "", "", ""), want: true},
		"one steady answer is enough":                      {can: untold, now: state("", "", "", "c"), want: true},
		"back: the same again":                             {can: untold, known: &before, now: before, want: true},
		"back: other answers":                              {can: told, known: &before, now: state("d1", "f1", "a", "c")},
		"back: another checksum":                           {can: told, known: &before, now: state("d2", "f1", "a", "b")},
		"back: another engine":                             {can: told, known: &before, now: state("d1", "f2", "a", "b")},
		"back: equal answers are wanted, permitted or not": {can: untold, known: &before, now: state("", "", "a", "b"), equal: true, want: true},
		"back: nothing can be compared":                    {can: untold, known: &before, now: state("", "f1")},
		"back: a checksum that was never known":            {can: untold, known: &swap.EngineState{}, now: state("d1", "")},
	} {
		t.Run(name, func(t *testing.T) {
			proofs, proven := weigh(tc.can, Goal{Model: model("m", "/2", ""), Before: before, Known: tc.known}, tc.now, tc.equal)
			require.Equal(t, tc.want, proven, "%v", sighting{proofs: proofs})
			for _, p := range proofs {
				require.NotEmpty(t, p.Message)
			}
		})
	}
}

func TestGoldenAnswersThatDoNotRepeatAreLeftOut(t *testing.T) {
	n := 0
	ask := func(context.Context, string) (Answers, error) {
		n++
		return Answers{Texts: []string{"same", map[bool]string{true: "odd", false: "even"}[n%2 == 1]}, Fingerprint: "f"}, nil
	}
	hashes, fingerprint, err := askTwice(t.Context(), ask, "m")
	require.NoError(t, err)
	require.Equal(t, "f", fingerprint)
	require.Len(t, hashes[0], 64)
	require.Empty(t, hashes[1])
	same, changed := compareGolden([]string{"a", "", "c", "d"}, []string{"a", "b", "x"})
	require.Equal(t, [2]int{1, 1}, [2]int{same, changed})

	gone := errors.New("gone")
	_, _, err = askTwice(t.Context(), func(context.Context, string) (Answers, error) { return Answers{}, gone }, "m")
	require.ErrorIs(t, err, gone)
}
