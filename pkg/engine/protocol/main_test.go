package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is a chunk in a form that is easy to write down. Numbers of tokens are -1 where a server says none.
type seen struct {
	flags                  string // c choices, t token, v visible, f failed, d done, w whole, u usage
	finish, code           string
	text                   string
	prompt, output, cached int32
	tokens                 int32
}

func see(c Chunk) seen {
	s := seen{
		finish: string(c.Finish), code: SafeCode(c.Code), text: Unquote(c.Text),
		prompt: -1, output: -1, cached: -1, tokens: c.Tokens,
	}
	for _, flag := range []struct {
		is   bool
		name string
	}{{c.Choices, "c"}, {c.Token, "t"}, {c.Visible, "v"}, {c.Failed, "f"}, {c.Done, "d"}, {c.Whole, "w"}, {c.Usage.Has, "u"}} {
		if flag.is {
			s.flags += flag.name
		}
	}
	for dst, n := range map[*int32]Count{&s.prompt: c.Usage.Prompt, &s.output: c.Usage.Output, &s.cached: c.Usage.Cached} {
		if n.Known {
			*dst = n.N
		}
	}
	return s
}

// plain is a chunk without usage.
func plain(flags, text string) seen {
	return seen{flags: flags, text: text, prompt: -1, output: -1, cached: -1}
}

// finished is a choice that ends.
func finished(reason string) seen { return plain("c", "").ending(reason) }

type scanStep struct {
	data string
	want seen
}

// checkStream scans the events of one answer with one scanner.
func checkStream(t *testing.T, a Ask, steps []scanStep) {
	t.Helper()
	p, ok := For(a.API)
	require.True(t, ok)
	s := p.NewScanner(a)
	for i, step := range steps {
		var c Chunk
		require.NoError(t, s.Scan(nil, []byte(step.data), &c), "event %d", i)
		require.Equal(t, step.want, see(c), "event %d: %s", i, step.data)
	}
}

func scanOne(t require.TestingT, api swap.API, name, data string) (Chunk, error) {
	p, ok := For(api)
	require.True(t, ok)
	var c Chunk
	err := p.NewScanner(Ask{API: api}).Scan([]byte(name), []byte(data), &c)
	return c, err
}
