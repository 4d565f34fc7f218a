package online

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 5e8, time.UTC)

func TestEventsAreSummedBySecond(t *testing.T) {
	events, err := ParseEvents([]byte(`{"id":"1","arm":"candidate","kind":"conversion","value":1,"time":"2026-03-01T11:59:30.1Z"}
{"id":"2","arm":"candidate","kind":"conversion","value":0,"time":"2026-03-01T11:59:30.9Z"}

{"id":"2","arm":"candidate","kind":"conversion","value":0,"time":"2026-03-01T11:59:30.9Z"}
{"id":"3","arm":"baseline","kind":"quality","value":0.8}
`), now)
	require.NoError(t, err)
	seen := NewSeen(10)
	b := Batch(events, seen)
	require.Equal(t, 1, b.Duplicates)
	require.Equal(t, []swap.FeedbackSum{
		{Arm: swap.Candidate, Kind: swap.FeedbackConversion, Time: time.Date(2026, 3, 1, 11, 59, 30, 0, time.UTC), N: 2, Sum: 1},
		{Arm: swap.Baseline, Kind: swap.FeedbackQuality, Time: now.Truncate(time.Second), N: 1, Sum: .8},
	}, b.Sums)
	require.Equal(t, b.ID, Batch(events, NewSeen(10)).ID, "the same events make the same batch")
	again := Batch(events, seen)
	require.Empty(t, again.Sums)
	require.Equal(t, 4, again.Duplicates)
}

func TestSeenForgetsTheOldest(t *testing.T) {
	s := NewSeen(2)
	require.True(t, s.add("a"))
	require.True(t, s.add("b"))
	require.False(t, s.add("a"))
	require.True(t, s.add("c"))
	require.True(t, s.add("a"))
	require.Len(t, s.ids, 2)
}

func TestEventsThatAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		``:                            "there is no event",
		`x`:                           "line 1: it is no event",
		"\n" + `{"id":"1","armm":1}`:  "line 2: it is no event",
		`{"arm":"baseline"}`:          "id must have",
		`{"id":"1","arm":"old"}`:      "arm must be baseline or candidate",
		`{"id":"1","arm":"baseline"}`: "kind must be conversion or quality",
		`{"id":"1","arm":"baseline","kind":"quality"}`:                                             "value must be from 0 to 1",
		`{"id":"1","arm":"baseline","kind":"quality","value":2}`:                                   "value must be from 0 to 1",
		`{"id":"1","arm":"baseline","kind":"conversion","value":0.5}`:                              "must be 0 or 1",
		`{"id":"1","arm":"baseline","kind":"quality","value":1,"time":"2026-03-02T00:00:00Z"}`:     "in the future",
		`{"id":"1","arm":"baseline","kind":"quality","value":1} {}`:                                "something behind",
		`{"id":"` + strings.Repeat("x", 129) + `","arm":"baseline","kind":"quality","value":1}`:    "id must have",
		`{"id":"` + strings.Repeat("x", 70_000) + `"}`:                                             "too long",
		strings.Repeat(`{"id":"1","arm":"baseline","kind":"quality","value":1}`+"\n", MaxEvents+1): "more than 20000 events",
	} {
		_, err := ParseEvents([]byte(line), now)
		require.ErrorContains(t, err, want, "%.80s", line)
	}
}

func FuzzParseEvents(f *testing.F) {
	f.Add(`{"id":"1","arm":"candidate","kind":"conversion","value":1,"time":"2026-03-01T11:59:30.1Z"}`)
	f.Add("\n\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := ParseEvents([]byte(text), now)
		if err != nil {
			return
		}
		b := Batch(events, NewSeen(len(events)+1))
		n := b.Duplicates
		for _, s := range b.Sums {
			n += s.N
			require.GreaterOrEqual(t, s.Sum, 0.0, fmt.Sprint(s))
		}
		require.Equal(t, len(events), n)
	})
}
