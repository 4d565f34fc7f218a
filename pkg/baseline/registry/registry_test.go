package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

var errDown = errors.New("store is down")

// memory is a store in memory. It is safe for concurrent use.
type memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	err     error
	// lost loses the answer of the next write, which is done.
	lost bool
}

func newMemory() *memory { return &memory{objects: map[string][]byte{}} }

func (m *memory) ref(key string) swap.ObjectRef {
	sum := sha256.Sum256(m.objects[key])
	return swap.ObjectRef{URI: "s3://b/" + key, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(m.objects[key])), Schema: Schema}
}

func (m *memory) PutOnce(_ context.Context, key, _ string, data []byte, _ string) (swap.ObjectRef, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, exists := m.objects[key]
	if m.err == nil && !exists {
		m.objects[key] = data
	}
	if m.lost {
		m.lost = false
		return swap.ObjectRef{}, false, errDown
	}
	return m.ref(key), !exists, m.err
}

func (m *memory) GetKey(_ context.Context, key string) ([]byte, swap.ObjectRef, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if data, exists := m.objects[key]; exists || m.err != nil {
		return data, m.ref(key), m.err
	}
	return nil, swap.ObjectRef{}, fmt.Errorf("%w: %s", runstore.ErrNotFound, key)
}

func (m *memory) List(_ context.Context, prefix string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(m.objects)), func(k string) bool { return !strings.HasPrefix(k, prefix) })
	return keys, m.err
}

var (
	noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	gate = swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP95, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}
)

// changed is a gate that passed with a change known to ± half.
func changed(by, half float64) swap.GateResult {
	theta := math.Log1p(by)
	return swap.GateResult{
		Gate: gate, Name: gate.Name(), Decision: swap.Pass,
		Change: swap.Of(by), Low: swap.Of(math.Expm1(theta - half)), High: swap.Of(math.Expm1(theta + half)),
	}
}

// draft is the n-th run of a target: before is what served, after the candidate, of which the gates tell.
func draft(n int, before, after string, promoted bool, gates ...swap.GateResult) Draft {
	at := noon.AddDate(0, 0, n)
	return Draft{
		Target: "chat",
		Source: Source{
			RunID: fmt.Sprintf("run-%d", n), Started: at, Ended: at.Add(time.Hour), Recorded: at.Add(time.Hour),
			WorkSHA256: "work", Promoted: promoted,
		},
		Arms: swap.PerArm[Measured]{
			Baseline:  Measured{Serving: Serving{Model: before}, Levels: []Level{{Step: 1, Label: "concurrency 8"}}},
			Candidate: Measured{Serving: Serving{Model: after}, Levels: []Level{{Step: 1, Label: "concurrency 8"}}},
		},
		Gates: gates,
	}
}

func register(t *testing.T, st Store, d Draft) Registered {
	t.Helper()
	r, err := Register(t.Context(), st, d)
	require.NoError(t, err)
	return r
}

// 4 %, then 4 %, then 4 % cannot creep through: each run is inside its margin of 10 %, and after the third the chain is not.
func TestSmallRegressionsAddUp(t *testing.T) {
	st := newMemory()
	first := register(t, st, draft(1, "a", "b", true, changed(.04, .01)))
	require.Equal(t, 2, first.Version, "version 1 is the model that was replaced")
	require.Equal(t, StandingHistory, first.Standing)
	require.Equal(t, 1, first.Reference.Version)
	require.Equal(t, "worse than version 1, though within the margins of its runs: ttft_p95 +4.0 % (+3.0 % to +5.0 %) in 1 run", first.Why)

	second := register(t, st, draft(2, "b", "c", true, changed(.04, .01)))
	require.Equal(t, 1, second.Reference.Version)
	require.False(t, second.Since[0].BeyondMargin())

	third := register(t, st, draft(3, "c", "d", true, changed(.04, .01)))
	require.Equal(t, 1, third.Reference.Version)
	require.InDelta(t, 1.04*1.04*1.04-1, third.Since[0].Change.Or(0), 1e-9)
	require.Equal(t, 3, third.Since[0].Runs)
	require.InDelta(t, math.Sqrt(3)*.01, math.Log1p(third.Since[0].High.Or(0))-math.Log1p(third.Since[0].Change.Or(0)), 1e-9)

	fourth := register(t, st, draft(4, "d", "e", true, changed(.0, .01)))
	require.Equal(t, 1, fourth.Reference.Version, "a run without a regression does not whitewash those before it")

	better := register(t, st, draft(5, "e", "f", true, changed(-.15, .01)))
	require.Equal(t, StandingReference, better.Standing, "what is as good as the reference becomes it")
	require.Empty(t, better.Since)
	reference, err := Reference(t.Context(), st, third)
	require.NoError(t, err)
	require.Equal(t, "a", reference.Serving.Model)
	reference, err = Reference(t.Context(), st, better)
	require.NoError(t, err)
	require.Equal(t, better, reference)
}

func TestCreepBeyondTheMarginIsSeen(t *testing.T) {
	st := newMemory()
	var last Registered
	models := []string{"a", "b", "c", "d"}
	for n := range 3 {
		require.Empty(t, last.Creep())
		last = register(t, st, draft(n, models[n], models[n+1], true, changed(.04, .01)))
	}
	require.Equal(t, last.Since, last.Creep(), "three times 4 %% are proven to be more than 10 %%")
	next := last.Chained(Serving{Model: "d"}, []swap.GateResult{changed(0, .01)})
	require.Equal(t, 4, next[0].Runs)
	require.Empty(t, last.Chained(Serving{Model: "x"}, []swap.GateResult{changed(0, .01)}), "no run compared x with d")
}

func TestAcceptingAWorseModel(t *testing.T) {
	st := newMemory()
	_, _, err := Accept(t.Context(), st, "chat", "ada", "why", noon)
	require.ErrorIs(t, err, ErrNone)
	worse := register(t, st, draft(1, "a", "b", true, changed(.04, .01)))
	_, _, err = Accept(t.Context(), st, "chat", "ada", "", noon)
	require.ErrorIs(t, err, ErrInvalid)
	accepted, changedIt, err := Accept(t.Context(), st, "chat", "ada", "the new tokenizer is worth it", noon)
	require.NoError(t, err)
	require.True(t, changedIt)
	require.Equal(t, StandingReference, accepted.Standing)
	require.Equal(t, "accepted by ada: the new tokenizer is worth it", accepted.Why)
	require.Equal(t, worse.Link(), *accepted.Parent)
	require.Equal(t, worse.Levels, accepted.Levels)
	again, changedIt, err := Accept(t.Context(), st, "chat", "ada", "twice", noon)
	require.NoError(t, err)
	require.False(t, changedIt)
	require.Equal(t, accepted.Ref, again.Ref)
	next := register(t, st, draft(2, "b", "c", true, changed(.04, .01)))
	require.Equal(t, accepted.Version, next.Reference.Version)
	require.Equal(t, 1, next.Since[0].Runs)
}

func TestAVersionThatThereIsNot(t *testing.T) {
	st := newMemory()
	_, err := Get(t.Context(), st, "chat", 99)
	require.ErrorIs(t, err, ErrNone)
	register(t, st, draft(1, "a", "b", true, changed(.04, .01)))
	last := register(t, st, draft(2, "b", "c", true, changed(.04, .01)))
	_, err = Get(t.Context(), st, "chat", 99)
	require.ErrorIs(t, err, ErrNoVersion)
	require.EqualError(t, err, "no version 99 of target chat: versions are 1 to 3")
	require.Equal(t, "1 to 3, 5, 8 to 9", ranges([]int{1, 2, 3, 5, 8, 9}))
	delete(st.objects, key("chat", last.Reference.Version))
	_, err = Reference(t.Context(), st, last)
	require.ErrorIs(t, err, ErrCorrupt, "a reference that is gone is no wrong question")
}

func TestWithoutAPromotionTheBaselineIsRegistered(t *testing.T) {
	st := newMemory()
	first := register(t, st, draft(1, "a", "b", false, changed(.04, .01)))
	require.Equal(t, 1, first.Version)
	require.Equal(t, "a", first.Serving.Model)
	require.Equal(t, swap.Baseline, first.Source.Arm)
	require.Equal(t, StandingReference, first.Standing)
	require.Equal(t, "b", first.Offered.Serving.Model)

	again := register(t, st, draft(2, "a", "b", false, changed(.04, .01)))
	require.Equal(t, StandingHistory, again.Standing, "the same model measured again is held against its first measurement")
	require.Equal(t, first.Link(), *again.Reference)
	require.Equal(t, first.Link(), *again.Parent)

	deployed := register(t, st, draft(3, "b", "c", false, changed(.04, .01)))
	require.Equal(t, StandingHistory, deployed.Standing, "others deployed the candidate of the run before")
	require.Equal(t, 1, deployed.Reference.Version)
	require.Equal(t, 2, deployed.Offered.Since[0].Runs)

	unknown := register(t, st, draft(4, "x", "y", false))
	require.Equal(t, StandingReference, unknown.Standing)
	require.Contains(t, unknown.Why, "no run compared the two")
}

// A fingerprint tells two configurations of one model apart, and a server that started again is not another model.
func TestWhatServes(t *testing.T) {
	as := func(model, fingerprint string) Serving {
		return Serving{Model: model, Engine: "vllm", Fingerprint: fingerprint}
	}
	e := Entry{Serving: as("m", "1"), Offered: &Offer{Serving: as("m", "2")}}
	tests := []struct {
		found          Serving
		serves, offers bool
	}{
		{as("m", "1"), true, false},
		{as("m", "2"), false, true},
		{as("m", "3"), true, false},
		{as("x", "1"), false, false},
	}
	for _, tt := range tests {
		require.Equal(t, tt.serves, e.serves(tt.found), tt.found)
		require.Equal(t, tt.offers, e.offers(tt.found), tt.found)
	}
	e.Offered.Serving = as("n", "2")
	require.True(t, e.offers(as("n", "4")))
	e.Offered = nil
	require.False(t, e.offers(as("n", "2")))
	require.True(t, e.serves(as("m", "2")))
}

func TestOtherWorkIsAnotherHistory(t *testing.T) {
	st := newMemory()
	register(t, st, draft(1, "a", "b", true, changed(.04, .01)))
	d := draft(2, "b", "c", true, changed(.04, .01))
	d.Source.WorkSHA256 = "other"
	r := register(t, st, d)
	require.Equal(t, 4, r.Version)
	require.Equal(t, 3, r.Reference.Version, "the model that was replaced, measured with this work")

	latest, err := Latest(t.Context(), st, "chat", Query{WorkSHA256: "work", Load: "concurrency 8"})
	require.NoError(t, err)
	require.Equal(t, 2, latest.Version)
	for _, q := range []Query{{Model: "z"}, {Load: "concurrency 9"}, {Class: "small"}, {WorkSHA256: "none"}} {
		_, err = Latest(t.Context(), st, "chat", q)
		require.ErrorIs(t, err, ErrNone)
	}
	list, err := List(t.Context(), st, "chat", 3)
	require.NoError(t, err)
	require.Equal(t, []int{4, 3, 2}, []int{list[0].Version, list[1].Version, list[2].Version})
}

// Each write may be done and yet reported as failed; whatever is lost, trying again gives the same history.
func TestRegisteringAgainChangesNothing(t *testing.T) {
	for _, promoted := range []bool{false, true} {
		for lost := range 3 {
			st := newMemory()
			d := draft(1, "a", "b", promoted, changed(.04, .01))
			var got Registered
			tries := 0
			for err := errDown; err != nil; tries++ {
				require.Less(t, tries, 4)
				st.lost = tries < lost
				got, err = Register(t.Context(), st, d)
			}
			st.lost = false
			require.Equal(t, got, register(t, st, d))
			if promoted {
				require.Len(t, st.objects, 2)
			} else {
				require.Len(t, st.objects, 1)
			}
			later := register(t, st, draft(2, got.Serving.Model, "c", true))
			require.Equal(t, got.Version+1, later.Version)
			require.Equal(t, got, register(t, st, d), "even when others registered meanwhile")
		}
	}
}

func TestRacingRunsBothGetAPlace(t *testing.T) {
	st := newMemory()
	const writers = 8
	var wg sync.WaitGroup
	for n := range writers {
		wg.Go(func() {
			_, err := Register(t.Context(), st, draft(n, "a", fmt.Sprint("b", n), false))
			require.NoError(t, err)
		})
	}
	wg.Wait()
	list, err := List(t.Context(), st, "chat", 100)
	require.NoError(t, err)
	require.Len(t, list, writers)
	runs := map[string]bool{}
	for i, r := range list {
		runs[r.Source.RunID] = true
		if i+1 < len(list) {
			require.Equal(t, list[i+1].Link(), *r.Parent, "every version follows the one before it")
		}
	}
	require.Len(t, runs, writers)
}

func TestWhatIsRefused(t *testing.T) {
	st := newMemory()
	for name, change := range map[string]func(*Draft){
		"target":          func(d *Draft) { d.Target = "../other" },
		"run":             func(d *Draft) { d.Source.RunID = "" },
		"start":           func(d *Draft) { d.Source.Started = time.Time{} },
		"work":            func(d *Draft) { d.Source.WorkSHA256 = "" },
		"failed gate":     func(d *Draft) { d.Gates[0].Decision = swap.Fail },
		"no baseline":     func(d *Draft) { d.Arms.Baseline.Levels = nil },
		"no candidate":    func(d *Draft) { d.Arms.Candidate.Levels = nil },
		"undecided gates": func(d *Draft) { d.Gates[0].Decision = swap.Inconclusive },
	} {
		d := draft(1, "a", "b", true, changed(.01, .01))
		change(&d)
		_, err := Register(t.Context(), st, d)
		require.ErrorIs(t, err, ErrInvalid, name)
	}
	require.Empty(t, st.objects)
	_, err := Get(t.Context(), st, "chat", 0)
	require.ErrorIs(t, err, ErrInvalid)
	_, err = List(t.Context(), st, "", 1)
	require.ErrorIs(t, err, ErrInvalid)
}

func TestDamageIsNoticed(t *testing.T) {
	st := newMemory()
	r := register(t, st, draft(1, "a", "b", true, changed(.04, .01)))
	st.objects["registry/chat/notes.txt"] = []byte("kept by a person")
	st.objects["registry/chat/v000000.json"] = []byte("{}")
	good := st.objects["registry/chat/v000001.json"]
	st.objects["registry/chat/v000001.json"] = append([]byte(" "), good...)
	_, err := Reference(t.Context(), st, r)
	require.ErrorIs(t, err, ErrCorrupt, "the reference is not what it was")
	for _, text := range []string{"", "{", `{}`, strings.Replace(string(good), `"version":1`, `"version":7`, 1)} {
		st.objects["registry/chat/v000001.json"] = []byte(text)
		_, err = Get(t.Context(), st, "chat", 1)
		require.ErrorIs(t, err, ErrCorrupt, text)
	}
}

func TestStoreErrorsStayVisible(t *testing.T) {
	st := newMemory()
	r := register(t, st, draft(1, "a", "b", false))
	st.err = errDown
	for _, f := range []func() error{
		func() error { _, err := Register(t.Context(), st, draft(2, "a", "b", true)); return err },
		func() error { _, err := Latest(t.Context(), st, "chat", Query{}); return err },
		func() error { _, err := Get(t.Context(), st, "chat", r.Version); return err },
		func() error { _, err := List(t.Context(), st, "chat", 1); return err },
	} {
		require.ErrorIs(t, f(), errDown)
	}
}

func TestChaining(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var since []Shift
		sum, squares := 0.0, 0.0
		runs := rapid.IntRange(1, 6).Draw(t, "runs")
		for range runs {
			change, half := rapid.Float64Range(-.2, .2).Draw(t, "change"), rapid.Float64Range(0, .1).Draw(t, "half")
			sum, squares = sum+math.Log1p(change), squares+half*half
			since = chain(since, shiftsOf([]swap.GateResult{changed(change, half)}))
		}
		require.Len(t, since, 1)
		require.Equal(t, runs, since[0].Runs)
		require.InDelta(t, math.Expm1(sum), since[0].Change.Or(9), 1e-9)
		require.InDelta(t, math.Expm1(sum-math.Sqrt(squares)), since[0].Low.Or(9), 1e-6)
		require.InDelta(t, math.Expm1(sum+math.Sqrt(squares)), since[0].High.Or(9), 1e-6)
	})
}

func TestDirectionsOfWorse(t *testing.T) {
	shift := func(better swap.Direction, unit swap.MarginUnit, low, high float64) Shift {
		g := swap.Gate{Metric: swap.MetricErrorRate, Margin: .01, Unit: unit, Better: better}
		return Shift{Gate: g, Low: swap.Of(low), High: swap.Of(high), Change: swap.Of((low + high) / 2)}
	}
	tests := []struct {
		shift        Shift
		worse, limit bool
	}{
		{shift(swap.LowerIsBetter, swap.Absolute, .001, .002), true, false},
		{shift(swap.LowerIsBetter, swap.Absolute, .011, .02), true, true},
		{shift(swap.LowerIsBetter, swap.Absolute, -.02, -.01), false, false},
		{shift(swap.HigherIsBetter, swap.Relative, -.05, -.02), true, true},
		{shift(swap.HigherIsBetter, swap.Relative, .02, .05), false, false},
		{shift(swap.Either, swap.Relative, .02, .05), true, true},
		{shift(swap.Either, swap.Relative, -.05, -.001), true, false},
		{shift(swap.Either, swap.Relative, -.05, .05), false, false},
		{Shift{Gate: gate}, false, false},
	}
	for _, tt := range tests {
		require.Equal(t, tt.worse, tt.shift.Worse(), tt.shift)
		require.Equal(t, tt.limit, tt.shift.BeyondMargin(), tt.shift)
	}
	require.Equal(t, "error_rate +0.0015 (+0.001 to +0.002) in 1 run", tests[0].shift.String())
}

func TestWorkHashIsOfTheWorkAlone(t *testing.T) {
	spec := swap.Spec{Target: "chat", Load: swap.Load{Steps: []swap.Step{{Concurrency: 8}}}}
	hash := func(s swap.Spec) string {
		h, err := WorkHash(s)
		require.NoError(t, err)
		return h
	}
	other := spec
	other.Candidate.Model, other.Load.Shards, other.Gates = "new", 4, []swap.Gate{gate}
	require.Equal(t, hash(spec), hash(other))
	other.Load.Steps = []swap.Step{{Concurrency: 9}}
	require.NotEqual(t, hash(spec), hash(other))
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"target":"chat","version":1,"standing":"reference"}`)
	f.Add(`{"target":"chat","version":1,"standing":"history","reference":{"version":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := decode([]byte(text)); err == nil {
			require.Equal(t, e.Standing == StandingHistory, e.Reference != nil)
		}
	})
}
