package judge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func faulty(signals ...string) swap.InstrumentState {
	var state swap.InstrumentState
	for _, signal := range signals {
		state.Faults = append(state.Faults, swap.InstrumentFault{Signal: signal, Message: "the " + signal + " is bad", Next: "mend it"})
	}
	return state
}

func TestABelievableClientChangesNothing(t *testing.T) {
	e := usual().evidence(usualGates()...)
	e.Instruments = InstrumentsFrom([]swap.StepManifest{{Step: 1}, {Step: 2}})
	require.Equal(t, Decide(usual().evidence(usualGates()...)), Decide(e))
}

func TestAFaultOfTheClientLetsNothingBeDecided(t *testing.T) {
	for _, c := range []struct {
		name  string
		tpot  float64
		would string
	}{
		{"not a pass", 1, "it would otherwise be a pass: "},
		{"not a fail", 1.5, "it would otherwise be a fail: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			s.tpot = c.tpot
			e := s.evidence(gate(swap.MetricTPOT, swap.StatP50, .1))
			e.Instruments = InstrumentsFrom([]swap.StepManifest{
				{Step: 1}, {Step: 2, Instrument: faulty("lag", "cpu")}, {Step: 3, Instrument: faulty("lag")},
			})
			got := Decide(e)
			require.Equal(t, swap.Inconclusive, got.Decision)
			require.Equal(t, []swap.Reason{
				{Code: swap.ReasonInstrument, Subject: loadClient, Message: "in step 2 (and in 1 more), the lag is bad: mend it"},
				{Code: swap.ReasonInstrument, Subject: loadClient, Message: "in step 2, the cpu is bad: mend it"},
			}, got.Reasons, "one sentence a fault, and no cause is suspected")
			require.Equal(t, swap.Inconclusive, got.Gates[0].Decision)
			require.Equal(t, swap.ReasonInstrument, got.Gates[0].Reason.Code)
			require.Contains(t, got.Gates[0].Reason.Message, c.would)
			require.True(t, got.Gates[0].Change.Valid(), "the numbers stay")
		})
	}
}

func TestLateSendsAreTheClientsOwn(t *testing.T) {
	for _, c := range []struct {
		name      string
		spoil     func(*rawlog.Record)
		tolerated time.Duration
		want      swap.Decision
	}{
		{"late", func(r *rawlog.Record) { r.LateUS = 12_000 }, 0, swap.Inconclusive},
		{"held back by the plan", func(r *rawlog.Record) { r.LateUS, r.HeldUS = 12_000, 11_500 }, 0, swap.Fail},
		{"tolerated by the request", func(r *rawlog.Record) { r.LateUS = 12_000 }, 20 * time.Millisecond, swap.Fail},
		{"a new connection among kept ones", func(r *rawlog.Record) {
			if r.ConnReused = r.Seq%10 > 0; !r.ConnReused {
				r.LateUS = 90_000
			}
		}, 0, swap.Fail},
		{"never sent", func(r *rawlog.Record) { r.SentUnixNS, r.LateUS = 0, 12_000 }, 0, swap.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			s.ttft = 2
			s.each(c.spoil)
			e := s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2))
			e.SendLateness = swap.Duration(c.tolerated)
			require.Equal(t, c.want, Decide(e).Decision)
		})
	}
}

// The reason says what was decisive: one arm, and a stall or more.
func TestLateSendsSayWhatWasDecisive(t *testing.T) {
	const next = "give it more CPU, or spread the load over more load workers (load.shards)"
	for _, c := range []struct {
		name string
		late func(*rawlog.Record) bool
		want []string
	}{
		{
			"one stall in one block", func(r *rawlog.Record) bool { return r.Arm == "candidate" && r.Block == 3 && r.Step == 2 && r.Seq < 60 },
			[]string{"the load client sent to the candidate up to 248.4 ms late (P99), more than the 30.0 ms tolerated: 60 of 3600 requests were " +
				"later than that, all in block 3 of step 2; of both arms together the P99 is 1.0 ms, but each is judged by itself; latencies are " +
				"partly its own: if its machine was held up just then, start the run again; else " + next},
		},
		{
			"one arm", func(r *rawlog.Record) bool { return r.Arm == "candidate" && r.Seq < 10 },
			[]string{"the load client sent to the candidate up to 248.4 ms late (P99), more than the 30.0 ms tolerated: 240 of 3600 requests were " +
				"later than that; latencies are partly its own: " + next},
		},
		{
			"both arms", func(r *rawlog.Record) bool { return r.Seq < 2 },
			[]string{
				"the load client sent to the baseline up to 248.4 ms late (P99), more than the 30.0 ms tolerated: 48 of 3600 requests were " +
					"later than that; latencies are partly its own: " + next,
				"the load client sent to the candidate up to 248.4 ms late (P99), more than the 30.0 ms tolerated: 48 of 3600 requests were " +
					"later than that; latencies are partly its own: " + next,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			s.each(func(r *rawlog.Record) {
				r.LateUS, r.ConnReused = 1000, true
				if c.late(r) {
					r.LateUS = 250_000
				}
			})
			e := s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2))
			e.SendLateness = swap.Duration(30 * time.Millisecond)
			var got []string
			for _, r := range Decide(e).Reasons {
				if r.Code == swap.ReasonInstrument {
					got = append(got, r.Message)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

// Whatever else the evidence says, a fault of the client leaves neither a pass nor a fail, overall or in a gate.
func TestNoEvidenceDecidesWhereTheClientIsAtFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene{
			seed: rapid.Uint64().Draw(t, "seed"), steps: 1, pairs: rapid.IntRange(1, 12).Draw(t, "pairs"), requests: 20,
			ttft: rapid.Float64Range(.2, 5).Draw(t, "ttft"), tpot: rapid.Float64Range(.2, 5).Draw(t, "tpot"), tokens: 1, drift: 1,
			noise: .1, fails: rapid.SampledFrom([]float64{0, .5, 1}).Draw(t, "fails"), failAs: swap.HTTP5xx,
			baseFail: rapid.SampledFrom([]float64{0, 1}).Draw(t, "base fails"),
		}
		instrument := Instrument{Step: 1}
		if rapid.Bool().Draw(t, "its own account tells") {
			instrument.State = faulty("cpu")
		} else {
			s.each(func(r *rawlog.Record) { r.LateUS = 60_000_000 })
		}
		e := s.evidence(usualGates()...)
		e.Settings.Resamples, e.Settings.MinBlocks, e.Settings.MinTail = 49, 4, 1
		e.Instruments = []Instrument{instrument}
		got := Decide(e)
		if got.Decision != swap.Inconclusive || got.Reasons[0].Code != swap.ReasonInstrument {
			t.Fatalf("decided %s: %+v", got.Decision, got.Reasons)
		}
		for _, g := range got.Gates {
			if g.Decision != swap.Inconclusive || g.Regressed {
				t.Fatalf("gate %s is %s", g.Name, g.Decision)
			}
		}
	})
}
