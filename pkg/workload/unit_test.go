package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func grouped(shape swap.Shape, size int) swap.Workload {
	w := spec()
	w.Topology = &swap.Topology{Shape: shape, Size: size}
	if shape == swap.ShapeSession {
		w.Topology.ThinkTime = swap.Duration(2 * time.Second)
	}
	return w
}

// anyUnit draws a unit of a random workload, and the number of its turns.
func anyUnit(t *rapid.T, shape swap.Shape) (Unit, int) {
	w := grouped(shape, rapid.IntRange(2, 12).Draw(t, "size"))
	w.Seed = rapid.Uint64().Draw(t, "seed")
	g := generator(t, w)
	stream, n := rapid.Uint64().Draw(t, "stream"), rapid.Uint64Range(0, 1<<40).Draw(t, "unit")
	u := g.Unit(stream, n)
	g.Unit(stream, n+1) // what was asked before does not matter
	require.Equal(t, u, g.Unit(stream, n))
	require.Len(t, u.Turns, g.Size())
	return u, g.Size()
}

func answers(n int) []string {
	out := make([]string, n)
	for k := range out {
		out[k] = "answer " + strings.Repeat("x", k)
	}
	return out
}

func TestRequestsThatStandAloneAreUnitsOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator(t, spec())
		stream, i := rapid.Uint64().Draw(t, "stream"), rapid.Uint64().Draw(t, "i")
		u := g.Unit(stream, i)
		require.Equal(t, 1, g.Size())
		require.Equal(t, Unit{Turns: []Turn{{Prompt: g.At(stream, i)}}}, u)
		salt := g.Salt("run", swap.Candidate, stream, i)
		messages, ok := u.Messages(0, salt, nil)
		require.True(t, ok)
		require.Equal(t, salt+u.Turns[0].Text, Plain(messages))
	})
}

func TestSessionSendsTheWholeConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, size := anyUnit(t, swap.ShapeSession)
		said := answers(size)
		var before []Message
		for k, turn := range u.Turns {
			messages, ok := u.Messages(k, "salt. ", said)
			require.True(t, ok)
			require.Len(t, messages, 2*k+1)
			if k > 0 {
				history := append(before, Message{RoleAssistant, said[k-1]})
				require.Equal(t, history, messages[:2*k], "the prefix is what was sent and answered before")
			}
			require.Equal(t, RoleUser, messages[2*k].Role)
			require.True(t, strings.HasSuffix(messages[2*k].Content, turn.Text))
			require.Equal(t, 1, strings.Count(Plain(messages), "salt. "), "salted once")
			require.True(t, strings.HasPrefix(messages[0].Content, "salt. "))
			require.Equal(t, k > 0, turn.Follows)
			before = messages
		}
	})
}

func TestSessionGrowsByWhatWasSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, _ := anyUnit(t, swap.ShapeSession)
		for k, turn := range u.Turns {
			require.InDelta(t, turn.InputTokens+turn.MaxTokens, turn.Work, 0)
			if k > 0 {
				before := u.Turns[k-1]
				require.Greater(t, turn.InputTokens, before.InputTokens+before.MaxTokens)
			}
		}
	})
}

func TestRingPassesTheLastAnswerOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, size := anyUnit(t, swap.ShapeRing)
		said := answers(size)
		for k, turn := range u.Turns {
			messages, ok := u.Messages(k, "salt. ", said)
			require.True(t, ok)
			require.Len(t, messages, 1)
			want := "salt. " + turn.Text
			if k > 0 {
				want = "salt. Continue from: " + said[k-1] + "\n\n" + turn.Text
			}
			require.Equal(t, Message{RoleUser, want}, messages[0])
			require.Equal(t, k > 0, turn.Follows)
			require.Zero(t, turn.Think)
		}
	})
}

func TestStarAsksManyQuestionsOfOneDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, _ := anyUnit(t, swap.ShapeStar)
		document, _, found := strings.Cut(u.Turns[0].Text, "\n\n")
		require.True(t, found)
		questions := map[string]bool{}
		for k, turn := range u.Turns {
			require.False(t, turn.Follows)
			require.Zero(t, turn.Think)
			require.Equal(t, u.Turns[0].InputTokens, turn.InputTokens)
			require.InDelta(t, turn.InputTokens, tokensOf(turn.Text), 3)
			shared, question, _ := strings.Cut(turn.Text, "\n\n")
			require.Equal(t, document, shared)
			require.InDelta(t, 0.8, float64(tokensOf(shared))/float64(turn.InputTokens), 0.15)
			questions[question] = true
			messages, ok := u.Messages(k, "", nil)
			require.True(t, ok)
			require.Equal(t, []Message{{RoleUser, turn.Text}}, messages)
		}
		if u.Turns[0].InputTokens > 60 { // shorter questions may be alike by chance
			require.Len(t, questions, len(u.Turns))
		}
	})
}

func TestStarOfPromptsFromAFile(t *testing.T) {
	w := grouped(swap.ShapeStar, 3)
	w.InputTokens = swap.Lengths{}
	w.PromptFile = writeFile(t, `{"prompt":"a prompt of five words"}`)
	for _, turn := range generator(t, w).Unit(1, 1).Turns {
		require.Equal(t, "a prompt of five words", turn.Text, "prompts of the user's own are sent as they are")
		require.Equal(t, 7, turn.InputTokens)
	}
}

func TestUnitEndsWithoutAnAnswer(t *testing.T) {
	cases := map[string][]string{"missing": {"one"}, "empty": {"one", "", "three"}, "blank": {"one", " \n", "three"}}
	for name, said := range cases {
		for _, shape := range []swap.Shape{swap.ShapeSession, swap.ShapeRing} {
			u := generator(t, grouped(shape, 4)).Unit(1, 1)
			_, ok := u.Messages(1, "", said)
			require.True(t, ok, "%s %s", shape, name)
			messages, ok := u.Messages(2, "", said)
			require.False(t, ok, "%s %s", shape, name)
			require.Nil(t, messages)
		}
	}
}

func TestUnitsDoNotRepeat(t *testing.T) {
	for _, shape := range []swap.Shape{swap.ShapeSession, swap.ShapeStar, swap.ShapeRing} {
		g, seen := generator(t, grouped(shape, 4)), map[string]bool{}
		for stream := range uint64(3) {
			for n := range uint64(50) {
				for _, turn := range g.Unit(stream, n).Turns {
					seen[turn.Text] = true
				}
			}
		}
		require.Len(t, seen, 3*50*4, "%s", shape)
	}
}

func TestThinkTimes(t *testing.T) {
	g := generator(t, grouped(swap.ShapeSession, 5))
	sum, n, seen := 0.0, 0, map[time.Duration]bool{}
	for unit := range uint64(1000) {
		for k, turn := range g.Unit(1, unit).Turns {
			if k == 0 {
				require.Zero(t, turn.Think, "a session begins when it is due")
				continue
			}
			require.LessOrEqual(t, turn.Think, 20*time.Second)
			sum += turn.Think.Seconds()
			seen[turn.Think] = true
			n++
		}
	}
	require.InDelta(t, 2, sum/float64(n), 0.12)
	require.Greater(t, len(seen), n*99/100)
}

// longestOf is the longest of the first units of a step.
func longestOf(t require.TestingT, w swap.Workload, step swap.Step, units uint64) (longest int) {
	g, err := New(w)
	require.NoError(t, err)
	g, err = g.ForStep(step)
	require.NoError(t, err)
	for unit := range units {
		for _, turn := range g.Unit(1, unit).Turns {
			longest = max(longest, turn.InputTokens+turn.MaxTokens)
		}
	}
	return longest
}

func anyTopology(t *rapid.T) *swap.Topology {
	shape := rapid.SampledFrom([]swap.Shape{swap.ShapeSession, swap.ShapeStar, swap.ShapeRing, ""}).Draw(t, "shape")
	if shape == "" {
		return nil
	}
	return &swap.Topology{Shape: shape, Size: rapid.IntRange(2, 6).Draw(t, "size")}
}

func TestNoRequestIsLongerThanTheLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := spec()
		w.Seed, w.Topology = rapid.Uint64().Draw(t, "seed"), anyTopology(t)
		w.InputTokens.Sigma, w.OutputTokens.Sigma = 2, 2
		step := swap.Step{InputTokens: &swap.Lengths{Median: 50, Sigma: 1, Max: 80}}
		require.LessOrEqual(t, longestOf(t, w, step, 3), LongestRequest(w, step))
	})
}

// Lengths that do not vary are what they are: a maximum that no request reaches says nothing.
func TestTheLongestOfConstantLengthsIsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := spec()
		w.Topology = anyTopology(t)
		w.InputTokens = swap.Lengths{Median: 256, Sigma: 0.5, Min: 16, Max: 4096}
		w.OutputTokens = swap.Lengths{Median: rapid.IntRange(1, 90).Draw(t, "answers"), Min: rapid.IntRange(0, 90).Draw(t, "min"), Max: 2048}
		step := swap.Step{InputTokens: &swap.Lengths{Median: rapid.IntRange(1, 90).Draw(t, "prompts"), Max: 500}}
		require.Equal(t, longestOf(t, w, step, 1), LongestRequest(w, step))
	})
}

func TestTheLongestOfWhatIsNotCountedInTokens(t *testing.T) {
	require.Zero(t, LongestRequest(listening(), swap.Step{}))
	spoken := swap.Workload{API: swap.APISpeech, InputTokens: swap.Lengths{Median: 10, Sigma: 1, Max: 70}}
	require.Equal(t, 70, LongestRequest(spoken, swap.Step{}))
	file := swap.Workload{API: swap.APIChat, PromptFile: "p", OutputTokens: swap.Lengths{Median: 10, Max: 70}}
	require.Equal(t, 10, LongestRequest(file, swap.Step{}))
}

func TestPlainNamesTheSpeakers(t *testing.T) {
	require.Equal(t, "a", Plain([]Message{{RoleUser, "a"}}))
	require.Equal(t, "user: a\nassistant: b\nuser: c\n", Plain([]Message{{RoleUser, "a"}, {RoleAssistant, "b"}, {RoleUser, "c"}}))
}

func TestTopologyIsChecked(t *testing.T) {
	w := spec()
	w.Topology = &swap.Topology{Shape: "tree", Size: 2}
	_, err := New(w)
	require.ErrorContains(t, err, `workload.topology.shape is "tree"`)
	w.Topology = &swap.Topology{Shape: swap.ShapeRing, Size: 1}
	_, err = New(w)
	require.ErrorContains(t, err, "workload.topology.size is 1")
}
