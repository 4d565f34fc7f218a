//go:build unix

package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var canary = swap.Weights{Baseline: 95, Candidate: 5}

// keeper is a program that keeps weights in a file, as docs/gateways.md shows it.
const keeper = `#!/bin/sh
set -eu
state=$1
read -r baseline candidate version < "$state"
case $2 in
get) printf '{"baseline": %s, "candidate": %s, "version": "%s"}\n' "$baseline" "$candidate" "$version" ;;
set)
  [ "$5" = "$version" ] || exit 76
  echo "$3 $4 $((version + 1))" > "$state" ;;
*) exit 64 ;;
esac
`

func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o700))
	return file
}

func open(t *testing.T, p Program) traffic.Controller {
	t.Helper()
	c, err := Programs{"it": p}.Open("it")
	require.NoError(t, err)
	return c
}

func TestWeightsAreSetAndReadBack(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.WriteFile(state, []byte("100 0 1\n"), 0o600))
	c := open(t, Program{Argv: []string{script(t, keeper), state}})
	got, err := c.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, traffic.State{Weights: canary, Version: "2"}, got)
	again, err := c.Apply(t.Context(), canary)
	require.NoError(t, err)
	require.Equal(t, got, again)
}

func TestWhatAProgramSays(t *testing.T) {
	const get = `[ "$1" = get ] && echo '{"baseline":100,"candidate":0,"version":"1"}' && exit 0
`
	for name, tc := range map[string]struct {
		text string
		want error
		says string
	}{
		"a conflict":          {get + "exit 76", traffic.ErrConflict, "exit status 76"},
		"no permission":       {get + "echo 'not you' >&2; exit 77", traffic.ErrRefused, "exit status 77: not you"},
		"a fault":             {get + "echo 'pool is locked' >&2; exit 1", traffic.ErrUnreachable, "pool is locked"},
		"done without effect": {get + "exit 0", traffic.ErrNotApplied, "wanted baseline 95"},
		"no JSON":             {"echo ok", traffic.ErrRefused, "in JSON"},
		"too much":            {"head -c 70000 /dev/zero", traffic.ErrRefused, "more than 65536 bytes"},
		"no such program":     {"", traffic.ErrRefused, "exec format error"},
		"too slow":            {"sleep 60 & wait", traffic.ErrUnreachable, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			text := tc.text
			if text != "" {
				text = "#!/bin/sh\n" + text
			}
			p := Program{Argv: []string{script(t, text)}}
			if name == "too slow" {
				p.Timeout = 50 * time.Millisecond
			}
			_, err := open(t, p).Apply(t.Context(), canary)
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestAProgramSeesOnlyTheVariablesThatItsOperatorLists(t *testing.T) {
	t.Setenv("GATEWAY_TOKEN", "s3cr3t-of-the-gateway")
	t.Setenv("SWAPGATE_S3_SECRET_KEY", "another")
	p := Program{Argv: []string{script(t, "#!/bin/sh\nenv >&2; pwd >&2; exit 1\n")}, Env: []string{"GATEWAY_TOKEN", "NOT_SET"}}
	_, err := open(t, p).Read(t.Context())
	require.ErrorContains(t, err, "GATEWAY_TOKEN=[GATEWAY_TOKEN]", "and no message repeats their values")
	require.NotContains(t, err.Error(), "SWAPGATE")
	require.NotContains(t, err.Error(), "NOT_SET")
	require.NotContains(t, err.Error(), "HOME=")
}

func TestArgumentsAreNoShell(t *testing.T) {
	out := filepath.Join(t.TempDir(), "args")
	p := Program{Argv: []string{script(t, `#!/bin/sh
printf '%s|' "$@" >> `+out+`
echo '{"baseline":100,"candidate":0,"version":"$(reboot); `+"`id`"+`"}'
`), "a b", "$HOME", "*"}}
	_, err := open(t, p).Apply(t.Context(), canary)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Contains(t, string(got), "a b|$HOME|*|get|a b|$HOME|*|set|95|5|$(reboot); `id`|")
}

func TestACancelledCallSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(t, Program{Argv: []string{script(t, keeper)}}).Read(ctx)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	require.ErrorIs(t, err, context.Canceled)
}

func TestOnlyListedProgramsAreOpened(t *testing.T) {
	for _, programs := range []Programs{nil, {"other": {Argv: []string{"/bin/true"}}}} {
		_, err := programs.Open("it")
		require.ErrorIs(t, err, traffic.ErrUnsupported)
		require.ErrorContains(t, err, "--commands")
	}
}

func TestLoad(t *testing.T) {
	for text, says := range map[string]string{
		"commands: {f5: {argv: [/usr/bin/f5, --pool, chat], env: [F5_TOKEN], timeout: 5s}}": "",
		"commands: {f5: {argv: [f5]}}":                   "absolute path",
		"commands: {f5: {argv: []}}":                     "absolute path",
		"commands: {F 5: {argv: [/bin/f5]}}":             "a name is made of",
		"commands: {f5: {argv: [/bin/f5], env: [A=1]}}":  "no name of a variable",
		"commands: {f5: {argv: [/bin/f5], timeout: 1h}}": "at most 25s",
		"commands: {f5: {argv: [/bin/f5], shell: true}}": "shell",
		"commands: {}":  "lists no commands",
		"f5: [/bin/f5]": "f5",
		"":              "EOF",
	} {
		file := filepath.Join(t.TempDir(), "commands.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		got, err := Load(file)
		if says == "" {
			require.NoError(t, err)
			require.Equal(t, Programs{"f5": {
				Argv: []string{"/usr/bin/f5", "--pool", "chat"}, Env: []string{"F5_TOKEN"}, Timeout: 5 * time.Second,
			}}, got)
			require.NoError(t, os.Chmod(file, 0o666))
			_, err = Load(file)
			require.ErrorContains(t, err, "everybody may write it")
			continue
		}
		require.ErrorContains(t, err, says, text)
		require.True(t, strings.HasPrefix(err.Error(), file))
	}
	_, err := Load(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzParse(f *testing.F) {
	f.Add("commands: {f5: {argv: [/usr/bin/f5], env: [A], timeout: 5s}}")
	f.Fuzz(func(t *testing.T, text string) {
		programs, err := parse([]byte(text))
		if err != nil {
			return
		}
		for name := range programs {
			_, err := programs.Open(name)
			require.NoError(t, err)
		}
	})
}
