package haproxy

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// recorded is what HAProxy 2.6.12 answers to "show stat llm 6 -1", with counts filled in.
func recorded(tb testing.TB) string {
	tb.Helper()
	data, err := os.ReadFile("testdata/stat-2.6.csv")
	require.NoError(tb, err)
	return string(data)
}

func TestParseStat(t *testing.T) {
	got, err := parseStat(recorded(t))
	require.NoError(t, err)
	require.Equal(t, statistics{algorithm: "roundrobin", servers: []server{
		{name: "baseline", status: "DOWN", weight: 100, inForce: 100, counters: traffic.Counters{Requests: 13, Errors: 4}},
		{name: "candidate", status: "no check", weight: 20, inForce: 20, counters: traffic.Counters{Requests: 7, Errors: 3, InFlight: 2}},
		{name: "spare", status: "no check", weight: 7, inForce: 7, backup: true},
		{name: "m1", status: "MAINT", weight: 9, inForce: 7},
		{name: "d1", status: "DRAIN", weight: 7, inForce: 7},
		{name: "slow", status: "UP", weight: 100, inForce: 7, starting: true},
	}}, got)
	serving := []bool{false, true, true, false, false, true}
	for i, srv := range got.servers {
		require.Equal(t, serving[i], srv.serves(), srv.name)
	}
	for _, status := range []string{"UP 1/3", "UP"} {
		require.True(t, server{status: status}.serves(), status)
	}
	for _, status := range []string{"DOWN 1/2", "NOLB", "MAINT (via a/b)", "MAINT (resolution)", "", "UPSET"} {
		require.False(t, server{status: status}.serves(), status)
	}
}

func TestStatisticsThatCannotBeRead(t *testing.T) {
	text := recorded(t)
	for name, bad := range map[string]string{
		"nothing":            "",
		"another text":       "Permission denied\n",
		"an old version":     strings.ReplaceAll(text, "uweight", "was_added_in_2_4"),
		"no count":           strings.ReplaceAll(text, ",20,", ",many,"),
		"an impossible sum":  strings.ReplaceAll(text, ",20,", ",257,"),
		"quotes without end": text + "llm,\"x",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseStat(bad)
			require.Error(t, err)
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(recorded(f))
	f.Add("# svname,status,weight,uweight,bck,type,algo,throttle\nBACKEND,UP,1,1,0,1,roundrobin,\na,UP,1,1,0,2,,\n")
	route := swap.HAProxy{Backend: "llm", Baseline: []string{"baseline"}, Candidate: []string{"c*"}}
	f.Fuzz(func(t *testing.T, text string) {
		stat, err := parseStat(text)
		if err != nil {
			return
		}
		o, err := observe(route, stat, "", 0)
		if err != nil {
			return
		}
		changes, err := plan(o, swap.Weights{Baseline: 95, Candidate: 5})
		if err == nil {
			require.Empty(t, unwanted(after(o, changes), swap.Weights{Baseline: 95, Candidate: 5}))
		}
	})
}

func FuzzReplies(f *testing.F) {
	f.Add("Name: HAProxy\nPid: 7\n\n95 (initial 100)\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, reply := range split(text) {
			require.NotContains(t, reply, "\n\n")
			if weight, err := parseWeight(reply); err == nil {
				require.LessOrEqual(t, weight, maxWeight)
			}
			_, _ = processOf(reply)
		}
	})
}
