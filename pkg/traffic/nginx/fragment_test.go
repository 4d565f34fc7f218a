package nginx

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

var twoArms = swap.NGINX{
	File: "llm.conf", Upstream: "llm", Baseline: []string{"10.0.0.1:8000"}, Candidate: []string{"10.0.0.2:8000", "unix:/run/c.sock"},
	Directives: []string{"keepalive 32"}, Config: "/etc/nginx/nginx.conf", PIDFile: "/run/nginx.pid",
}

func weights(candidate int) swap.Weights {
	return swap.Weights{Baseline: 100 - candidate, Candidate: candidate}
}

func TestRender(t *testing.T) {
	want, err := os.ReadFile("testdata/llm.conf")
	require.NoError(t, err)
	require.Equal(t, string(want), string(render(twoArms, weights(5), 7)))
	require.Contains(t, string(render(twoArms, swap.AllBaseline, 8)), "server unix:/run/c.sock down;\n")
}

func TestWhatIsRenderedIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := weights(rapid.IntRange(0, 100).Draw(t, "candidate"))
		version := rapid.IntRange(1, 1<<30).Draw(t, "version")
		f, err := parse(render(twoArms, want, version), "llm")
		require.NoError(t, err)
		require.True(t, f.intact)
		require.Equal(t, version, f.version)
		state := f.state(twoArms)
		require.Equal(t, want, state.Weights)
		require.Empty(t, state.Pending)
		require.NoError(t, f.adoptable(twoArms))
	})
}

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		text      string
		candidate int
		pending   string
		lost      string
	}{
		"plain": {"upstream llm { server 10.0.0.1:8000; server 10.0.0.2:8000 down; }", 0, "", ""},
		"with comments": {
			"# a\nupstream llm { # {\n server '10.0.0.1:8000' weight=3; server \"10.0.0.2:8000\" ; zone llm 1m; keepalive   32; }\n#",
			25, "", "",
		},
		"no whole percentages": {
			"upstream llm { server 10.0.0.1:8000 weight=2; server 10.0.0.2:8000; }", 33, "weights 2:1 are no whole percentages", "",
		},
		"a stranger": {
			"upstream llm { server 10.0.0.1:8000; server 10.0.0.9:8000; }", 0,
			"server 10.0.0.9:8000 is in neither arm and takes requests", "server 10.0.0.9:8000 is in neither arm and would be lost",
		},
		"a stranger that is down": {
			"upstream llm { server 10.0.0.1:8000; server 10.0.0.9:8000 down; }", 0, "", "server 10.0.0.9:8000 is in neither arm",
		},
		"a backup": {
			"upstream llm { server 10.0.0.1:8000; server 10.0.0.2:8000 backup; }", 0,
			"server 10.0.0.2:8000 is a backup, which has no share", "parameters that would be lost",
		},
		"more parameters": {"upstream llm { server 10.0.0.1:8000 max_conns=5; }", 0, "", "parameters that would be lost"},
		"more directives": {"upstream llm { server 10.0.0.1:8000; keepalive_time 1h; }", 0, "", `directive "keepalive_time 1h" would be lost`},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parse([]byte(tc.text), "llm")
			require.NoError(t, err)
			require.False(t, f.intact)
			state := f.state(twoArms)
			require.Equal(t, weights(tc.candidate), state.Weights)
			require.Equal(t, tc.pending, state.Pending)
			if tc.lost == "" {
				require.NoError(t, f.adoptable(twoArms))
			} else {
				require.ErrorContains(t, f.adoptable(twoArms), tc.lost)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "does not begin with upstream llm {",
		"server { listen 80; }":                "does not begin with upstream llm {",
		"upstream other { server a; }":         "does not begin with upstream llm {",
		"upstream llm { server a; } server {}": "holds more than upstream llm",
		"upstream llm { server a; ":            "holds more than upstream llm",
		"upstream llm { server a }":            "does not end with ;",
		"upstream llm { server; }":             "a server has no address",
		"upstream llm { ; }":                   "does not end with ;",
		"upstream llm { server a weight=0; }":  `has weight "0"`,
		"upstream llm { server a weight=x; }":  `has weight "x"`,
		"upstream llm { ip_hash; server a; }":  "ip_hash gives no exact shares",
		"upstream llm { server 'a; }":          "cannot be read",
		"# swapgate: version x, sha256 0.\n":   "has no version",
		"# swapgate: version -1, sha256 0.\n":  "has no version",
	} {
		_, err := parse([]byte(text), "llm")
		require.ErrorContains(t, err, want, text)
	}
}

func TestAChangeByHandIsSeen(t *testing.T) {
	text := string(render(twoArms, weights(5), 7))
	for _, edited := range []string{
		strings.Replace(text, "weight=190", "weight=191", 1), text + "\n", strings.Replace(text, "sha256 ", "sha256 0", 1),
	} {
		f, err := parse([]byte(edited), "llm")
		require.NoError(t, err)
		require.False(t, f.intact)
		require.Equal(t, 7, f.version)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(render(twoArms, weights(5), 7)))
	f.Add("upstream llm { server '10.0.0.1:8000' weight=3 down; keepalive 32; }")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parse([]byte(text), "llm")
		if err != nil {
			return
		}
		state := got.state(twoArms)
		require.Contains(t, []int{0, 100}, state.Baseline+state.Candidate)
		if got.adoptable(twoArms) == nil && state.Pending == "" {
			again, err := parse(render(twoArms, state.Weights, got.version+1), "llm")
			if got.version < 1<<40 {
				require.NoError(t, err)
				require.Equal(t, state.Weights, again.state(twoArms).Weights)
			}
		}
	})
}
