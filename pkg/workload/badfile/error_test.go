package badfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorListsAllProblems(t *testing.T) {
	wrong := &Error{Path: "p.jsonl"}
	require.NoError(t, wrong.OrNil())
	wrong.Add(0, "", "the file is empty")
	wrong.Add(3, "prompt", "must be %s", "text")
	wrong.Add(4, "", "is no object")
	require.EqualError(t, wrong.OrNil(), "p.jsonl: the file is empty\np.jsonl:3: prompt: must be text\np.jsonl:4: is no object")
	require.Equal(t, wrong.Problems, wrong.All())
}

func TestErrorCountsWhatItDoesNotList(t *testing.T) {
	wrong := &Error{Path: "p.jsonl"}
	for line := range MaxProblems + 5 {
		wrong.Add(line+1, "", "is wrong")
	}
	require.Len(t, wrong.Problems, MaxProblems)
	require.ErrorContains(t, wrong, "p.jsonl:20: is wrong\np.jsonl: and 5 more")
	all := wrong.All()
	require.Len(t, all, MaxProblems+1)
	require.Equal(t, Problem{Message: "and 5 more"}, all[MaxProblems])
	require.Len(t, wrong.Problems, MaxProblems, "asking changes nothing")
}
