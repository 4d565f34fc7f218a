package snapshot

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func passed(run string) swap.SnapshotHealth {
	return swap.SnapshotHealth{VerdictID: run, Verdict: swap.Pass, Decided: noon.Add(time.Hour), Decay: swap.Of(.4)}
}

func save(t *testing.T, st *memory, minute int) swap.ObjectRef {
	t.Helper()
	ref, err := Save(t.Context(), st, snapshotAt("chat", noon.Add(time.Duration(minute)*time.Minute)))
	require.NoError(t, err)
	return ref
}

func TestHealthyOnlyAfterAPass(t *testing.T) {
	st := newMemory()
	ref := save(t, st, 0)
	for name, h := range map[string]swap.SnapshotHealth{
		"failed":       {VerdictID: "r", Verdict: swap.Fail, Decided: noon},
		"inconclusive": {VerdictID: "r", Verdict: swap.Inconclusive, Decided: noon},
		"no verdict":   {VerdictID: "r", Decided: noon},
		"no id":        {Verdict: swap.Pass, Decided: noon},
		"no time":      {VerdictID: "r", Verdict: swap.Pass},
	} {
		require.ErrorIs(t, MarkHealthy(t.Context(), st, ref, h), ErrInvalid, name)
	}
	entries, err := List(t.Context(), st, "chat")
	require.NoError(t, err)
	require.Nil(t, entries[0].Health)

	require.NoError(t, MarkHealthy(t.Context(), st, ref, passed("r-1")))
	require.NoError(t, MarkHealthy(t.Context(), st, ref, passed("r-2")), "repeating is allowed")
	entries, err = List(t.Context(), st, "chat")
	require.NoError(t, err)
	require.Len(t, entries, 1, "a mark is no snapshot")
	h := passed("r-1")
	h.SnapshotSHA256 = ref.SHA256
	require.Equal(t, &h, entries[0].Health, "the first verdict stands")
	require.Equal(t, ref, entries[0].Ref)
	require.Equal(t, ref.SHA256[:16], entries[0].ID)

	gone := ref
	gone.URI += ".gone"
	require.ErrorIs(t, MarkHealthy(t.Context(), st, gone, passed("r")), ErrCorrupt)
}

func TestListShowsWhatIsWrong(t *testing.T) {
	st := newMemory()
	first, second, third := save(t, st, 0), save(t, st, 1), save(t, st, 2)
	for _, ref := range []swap.ObjectRef{first, second, third} {
		require.NoError(t, MarkHealthy(t.Context(), st, ref, passed("r")))
	}
	at := func(ref swap.ObjectRef) string { return strings.TrimPrefix(ref.URI, "s3://b/") }
	st.objects[markKey(at(first))] = []byte("{")
	st.objects[markKey(at(second))] = st.objects[markKey(at(third))]
	st.objects[at(third)] = []byte("{}")
	entries, err := List(t.Context(), st, "chat")
	require.NoError(t, err)
	require.Len(t, entries, 3)
	require.Contains(t, entries[0].Problem, "corrupt")
	require.Contains(t, entries[1].Problem, "it is of another snapshot")
	require.Contains(t, entries[2].Problem, "the mark of")
	for _, e := range entries {
		require.Nil(t, e.Health)
		require.NotEmpty(t, e.ID)
	}
}

func TestFind(t *testing.T) {
	st := newMemory()
	_, _, err := Find(t.Context(), st, "chat", "abcd")
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, "there are: none")
	first, second := save(t, st, 0), save(t, st, 1)
	for _, id := range []string{first.SHA256[:4], first.SHA256[:16], first.SHA256[:20], first.SHA256} {
		s, ref, err := Find(t.Context(), st, "chat", id)
		require.NoError(t, err)
		require.Equal(t, first, ref)
		require.Equal(t, noon, s.Taken)
	}
	_, _, err = Find(t.Context(), st, "chat", first.SHA256[:16]+"00000000")
	require.ErrorIs(t, err, ErrNone, "another hash that begins in the same way")
	_, _, err = Find(t.Context(), st, "chat", "0000")
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, second.SHA256[:16]+", "+first.SHA256[:16], "those that there are, the newest first")
	for _, id := range []string{"", "abc", "../x", "ABCD", strings.Repeat("a", 65)} {
		_, _, err = Find(t.Context(), st, "chat", id)
		require.ErrorIs(t, err, ErrInvalid, id)
	}
	twin := strings.Replace(strings.TrimPrefix(first.URI, "s3://b/"), "20260501", "20260502", 1)
	st.objects[twin] = st.objects[strings.TrimPrefix(first.URI, "s3://b/")]
	_, _, err = Find(t.Context(), st, "chat", first.SHA256[:8])
	require.ErrorIs(t, err, ErrAmbiguous)
}

func TestPruneKeepsHealthyOnesApart(t *testing.T) {
	st := newMemory()
	var refs []swap.ObjectRef
	for i := range 9 {
		refs = append(refs, save(t, st, i))
	}
	for _, i := range []int{0, 1, 3} {
		require.NoError(t, MarkHealthy(t.Context(), st, refs[i], passed("r")))
	}
	removed, err := Prune(t.Context(), st, "chat", 2, refs[2])
	require.NoError(t, err)
	require.Equal(t, 4, removed)
	var left []string
	entries, err := List(t.Context(), st, "chat")
	require.NoError(t, err)
	for _, e := range entries {
		left = append(left, e.ID)
	}
	id := func(i int) string { return refs[i].SHA256[:16] }
	require.Equal(t, []string{id(8), id(7), id(3), id(2), id(1)}, left, "two others, the two newest healthy ones, and that in use")
	require.Len(t, st.objects, 7, "the mark of a snapshot goes with it")
}

func TestPruneNeverTakesWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		healthy := rapid.SliceOfN(rapid.Bool(), 0, 30).Draw(t, "healthy")
		keep := rapid.IntRange(1, 6).Draw(t, "keep")
		l := listing{marked: map[string]bool{}}
		for i, h := range healthy {
			k := key(swap.Snapshot{Target: "chat", Taken: noon.Add(time.Duration(i) * time.Second)}, []byte{byte(i)})
			l.keys = append(l.keys, k)
			l.marked[k] = h
		}
		var used []string
		if len(healthy) > 0 {
			used = []string{idOf(l.keys[rapid.IntRange(0, len(healthy)-1).Draw(t, "used")])}
		}
		gone := l.expired(keep, used)
		left := map[bool]int{}
		newest := map[bool]string{}
		for _, k := range l.keys {
			newest[l.marked[k]] = k
			left[l.marked[k]]++
		}
		for _, k := range gone {
			require.NotEqual(t, newest[l.marked[k]], k, "the newest of either kind stays")
			require.NotEqual(t, used[0], idOf(k), "what is in use stays")
			left[l.marked[k]]--
		}
		for kind := range map[bool]bool{true: true, false: true} {
			require.LessOrEqual(t, left[kind], keep+1)
		}
	})
}
