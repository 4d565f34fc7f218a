package haproxy

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

var twoArms = swap.HAProxy{Backend: "llm", Baseline: []string{"b*"}, Candidate: []string{"c*"}}

func up(name string, weight int) server {
	return server{name: name, status: "UP", weight: weight, inForce: weight}
}

func down(name string, weight int) server {
	return server{name: name, status: "DOWN", weight: weight, inForce: weight}
}

func seen(t require.TestingT, servers ...server) observation {
	o, err := observe(twoArms, statistics{algorithm: "roundrobin", servers: servers}, "pid=7", 0)
	require.NoError(t, err)
	return o
}

func weights(candidate int) swap.Weights {
	return swap.Weights{Baseline: 100 - candidate, Candidate: candidate}
}

// after is what a backend would be after changes.
func after(o observation, changes []change) observation {
	set := func(servers []server) []server {
		servers = slices.Clone(servers)
		for i := range servers {
			for _, c := range changes {
				if c.server == servers[i].name {
					servers[i].weight, servers[i].inForce, servers[i].starting = c.to, c.to, false
				}
			}
		}
		return servers
	}
	o.servers = set(o.servers)
	o.arms = swap.PerArm[[]server]{Baseline: set(o.arms.Baseline), Candidate: set(o.arms.Candidate)}
	return o
}

// unwanted says in what a backend differs from weights, apart from servers that are not swapgate's or that start slowly.
func unwanted(o observation, want swap.Weights) string {
	o.strangers = nil
	for _, arm := range swap.Arms {
		for i := range o.arms.Get(arm) {
			if srv := &o.arms.Get(arm)[i]; srv.serves() {
				srv.inForce = srv.weight
			}
		}
	}
	state := o.state()
	if state.Weights != want {
		return "other weights"
	}
	return state.Pending
}

func TestPlan(t *testing.T) {
	for name, tc := range map[string]struct {
		servers   []server
		candidate int
		want      []change
		err       string
	}{
		"nothing to do":            {[]server{up("b", 95), up("c", 5)}, 5, nil, ""},
		"the same share is enough": {[]server{up("b", 19), up("c", 1)}, 5, nil, ""},
		"raise, then lower":        {[]server{up("b", 100), up("c", 0)}, 5, []change{{"c", 0, 5}, {"b", 100, 95}}, ""},
		"and back":                 {[]server{up("b", 95), up("c", 5)}, 0, []change{{"b", 95, 100}, {"c", 5, 0}}, ""},
		"never all without weight": {[]server{up("b", 0), up("c", 100)}, 0, []change{{"b", 0, 100}, {"c", 100, 0}}, ""},
		"weights of another writer that only round to the same": {
			[]server{up("b", 96), up("c", 5)}, 5, []change{{"b", 96, 95}}, "",
		},
		"a group": {
			[]server{up("b1", 1), up("b2", 1), up("c1", 0)},
			20,
			[]change{{"b1", 1, 80}, {"b2", 1, 80}, {"c1", 0, 40}},
			"",
		},
		"a server that is down gets none while both arms serve": {
			[]server{up("b1", 50), down("b2", 50), up("c", 0)},
			20,
			[]change{{"b1", 50, 80}, {"c", 0, 20}, {"b2", 50, 0}},
			"",
		},
		"and its weight back when its arm serves alone": {
			[]server{up("b1", 80), down("b2", 0), up("c", 20)},
			0,
			[]change{{"b1", 80, 100}, {"b2", 0, 100}, {"c", 20, 0}},
			"",
		},
		"weight in a candidate that is down waits there": {
			[]server{up("b", 95), down("c", 5)}, 0, []change{{"b", 95, 100}, {"c", 5, 0}}, "",
		},
		"nothing serves the candidate": {[]server{up("b", 100), down("c", 0)}, 5, nil, "no server of the candidate serves (c is DOWN)"},
		"nothing serves the baseline":  {[]server{down("b", 95), up("c", 5)}, 0, nil, "no server of the baseline serves (b is DOWN)"},
		"a stranger takes requests":    {[]server{up("b", 100), up("c", 0), up("x", 1)}, 5, nil, "server x is in neither arm"},
		"but it hinders no way back":   {[]server{up("b", 95), up("c", 5), up("x", 1)}, 0, []change{{"b", 95, 100}, {"c", 5, 0}}, ""},
		"a slow start takes its time": {
			[]server{{name: "b", status: "UP", weight: 95, inForce: 3, starting: true}, up("c", 5)}, 5, nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := plan(seen(t, tc.servers...), weights(tc.candidate))
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestPlansReachWhatIsWantedWithoutOvershooting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var servers []server
		for _, arm := range []string{"b", "c"} {
			for i := range rapid.IntRange(1, 5).Draw(t, arm) {
				s := up(arm+string(rune('1'+i)), rapid.IntRange(0, maxWeight).Draw(t, "weight"))
				s.status = rapid.SampledFrom([]string{"UP", "no check", "DOWN", "MAINT"}).Draw(t, "status")
				servers = append(servers, s)
			}
		}
		o, want := seen(t, servers...), weights(rapid.IntRange(0, 100).Draw(t, "candidate"))
		changes, err := plan(o, want)
		if err != nil {
			require.ErrorIs(t, err, traffic.ErrNotApplied)
			require.Empty(t, changes)
			return
		}
		require.Empty(t, unwanted(after(o, changes), want))
		again, err := plan(after(o, changes), want)
		require.NoError(t, err)
		require.Empty(t, again)
		serves := o.sums(server.inUse)
		for i := range changes {
			sums := after(o, changes[:i+1]).sums(server.inUse)
			if serves.Baseline+serves.Candidate == 0 {
				break // it cannot get worse
			}
			require.Positive(t, sums.Baseline+sums.Candidate, "all requests would fail")
		}
	})
}

func TestStateSaysWhatIsWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		servers   []server
		candidate int
		pending   string
	}{
		"well":                   {[]server{up("b", 95), up("c", 5)}, 5, ""},
		"rounded":                {[]server{up("b", 96), up("c", 5)}, 5, "weights 96:5 are no whole percentages"},
		"candidate down":         {[]server{up("b", 95), down("c", 5)}, 5, "server c is DOWN"},
		"candidate down, unused": {[]server{up("b", 100), down("c", 0)}, 0, ""},
		"one of three down":      {[]server{up("b1", 1), up("b2", 1), down("b3", 1), up("c", 0)}, 0, ""},
		"starts slowly": {
			[]server{up("b", 50), {name: "c", status: "UP", weight: 50, inForce: 2, starting: true}},
			50,
			"server c starts slowly and has weight 2 of 50 so far",
		},
		"runs with another weight": {
			[]server{up("b", 50), {name: "c", status: "UP", weight: 50, inForce: 2}}, 50, "server c runs with weight 2 instead of 50",
		},
		"a stranger":                   {[]server{up("b", 95), up("c", 5), up("x", 9)}, 5, "server x is in neither arm and takes requests"},
		"a stranger, and no candidate": {[]server{up("b", 95), up("c", 0), up("x", 9)}, 0, ""},
		"a stranger asleep":            {[]server{up("b", 95), up("c", 5), down("x", 9)}, 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			state := seen(t, tc.servers...).state()
			require.Equal(t, weights(tc.candidate), state.Weights)
			require.Equal(t, tc.pending, state.Pending)
		})
	}
	require.Equal(t, "pid=7 b=95 c=5", seen(t, up("b", 95), up("c", 5)).state().Version)
	require.Zero(t, seen(t, up("b", 0), up("c", 0)).state().Weights)
}

func TestABackendThatCannotBeSplit(t *testing.T) {
	both := []server{up("b", 1), up("c", 1)}
	named := func(baseline, candidate string) swap.HAProxy {
		return swap.HAProxy{Backend: "llm", Baseline: []string{baseline}, Candidate: []string{candidate}}
	}
	backup := []server{up("b", 1), {name: "c", backup: true}}
	for name, tc := range map[string]struct {
		route swap.HAProxy
		stat  statistics
		text  string
	}{
		"another algorithm": {twoArms, statistics{"leastconn", both}, "balances with leastconn"},
		"unknown algorithm": {twoArms, statistics{"", both}, "must be of level admin"},
		"no such server":    {named("b", "d"), statistics{"roundrobin", both}, "no server d; it has b, c"},
		"in both arms":      {named("*", "c"), statistics{"roundrobin", both}, "server c of backend llm is in both arms"},
		"a backup":          {twoArms, statistics{"roundrobin", backup}, "server c of backend llm is a backup server"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := observe(tc.route, tc.stat, "", 0)
			require.ErrorIs(t, err, traffic.ErrRefused)
			require.ErrorContains(t, err, tc.text)
		})
	}
}
