package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

var errDown = errors.New("store is down")

// memory is a store in memory.
type memory struct {
	objects map[string][]byte
	err     error
	puts    int
}

func newMemory() *memory { return &memory{objects: map[string][]byte{}} }

func (m *memory) ref(key string) swap.ObjectRef {
	sum := sha256.Sum256(m.objects[key])
	return swap.ObjectRef{URI: "s3://b/" + key, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(m.objects[key])), Schema: Schema}
}

func (m *memory) PutOnce(_ context.Context, key, _ string, data []byte, _ string) (swap.ObjectRef, bool, error) {
	_, exists := m.objects[key]
	if m.err == nil && !exists {
		m.objects[key] = data
		m.puts++
	}
	return m.ref(key), !exists, m.err
}

func (m *memory) GetBytes(_ context.Context, ref swap.ObjectRef) ([]byte, error) {
	return m.objects[strings.TrimPrefix(ref.URI, "s3://b/")], m.err
}

func (m *memory) GetKey(_ context.Context, key string) ([]byte, swap.ObjectRef, error) {
	return m.objects[key], m.ref(key), m.err
}

func (m *memory) List(_ context.Context, prefix string) ([]string, error) {
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(m.objects)), func(k string) bool { return !strings.HasPrefix(k, prefix) })
	return keys, m.err
}

func (m *memory) Delete(_ context.Context, key string) error {
	delete(m.objects, key)
	return m.err
}

func snapshotAt(target string, at time.Time) swap.Snapshot {
	weights := swap.AllBaseline
	return swap.Snapshot{
		Target: target, Taken: at, Weights: &weights,
		Route: &swap.Route{Kind: swap.RouteSwapgate, URL: "http://g", AdminURL: "http://a"},
		Arms:  swap.PerArm[swap.ArmFacts]{Baseline: swap.ArmFacts{URL: "http://b", MaxModelLen: swap.Of(8192)}},
		RunID: "r",
	}
}

var noon = time.Date(2026, 5, 1, 12, 0, 0, 5, time.UTC)

func TestSaveAndLoad(t *testing.T) {
	st := newMemory()
	want := snapshotAt("chat", noon.In(time.FixedZone("east", 3600)))
	ref, err := Save(t.Context(), st, want)
	require.NoError(t, err)
	require.Regexp(t, `^s3://b/snapshots/chat/20260501T120000\.000000005Z-[0-9a-f]{16}\.json$`, ref.URI)
	again, err := Save(t.Context(), st, want)
	require.NoError(t, err)
	require.Equal(t, ref, again)
	require.Equal(t, 1, st.puts)
	got, err := Load(t.Context(), st, ref)
	require.NoError(t, err)
	want.Taken, want.SchemaVersion = noon, swap.SnapshotVersion
	require.Empty(t, cmp.Diff(want, got, cmp.AllowUnexported(swap.Value{})))
}

func TestLatestAndPrune(t *testing.T) {
	st := newMemory()
	_, _, err := Latest(t.Context(), st, "chat")
	require.ErrorIs(t, err, ErrNone)
	for i := range 7 {
		_, err := Save(t.Context(), st, snapshotAt("chat", noon.Add(time.Duration(i)*time.Millisecond)))
		require.NoError(t, err)
	}
	_, err = Save(t.Context(), st, snapshotAt("chat-2", noon.Add(time.Hour)))
	require.NoError(t, err)
	st.objects["snapshots/chat/notes.txt"] = []byte("kept by a person")

	removed, err := Prune(t.Context(), st, "chat", 5)
	require.NoError(t, err)
	require.Equal(t, 2, removed)
	removed, err = Prune(t.Context(), st, "chat", 5)
	require.NoError(t, err)
	require.Zero(t, removed)
	require.Len(t, st.objects, 7, "five snapshots, the other target's, and the file that is none")

	newest, ref, err := Latest(t.Context(), st, "chat")
	require.NoError(t, err)
	require.Equal(t, noon.Add(6*time.Millisecond), newest.Taken)
	loaded, err := Load(t.Context(), st, ref)
	require.NoError(t, err)
	require.Equal(t, newest, loaded)
}

func TestCorruptSnapshotsAreNotRestored(t *testing.T) {
	st := newMemory()
	ref, err := Save(t.Context(), st, snapshotAt("chat", noon))
	require.NoError(t, err)
	key := strings.TrimPrefix(ref.URI, "s3://b/")
	for name, data := range map[string]string{
		"other weights": strings.Replace(string(st.objects[key]), `"baseline":100,"candidate":0`, `"baseline":0,"candidate":100`, 1),
		"cut off":       string(st.objects[key][:20]),
		"empty":         ``,
	} {
		st.objects[key] = []byte(data)
		_, err = Load(t.Context(), st, ref)
		require.ErrorIs(t, err, ErrCorrupt, name)
		_, _, err = Latest(t.Context(), st, "chat")
		require.ErrorIs(t, err, ErrCorrupt, name)
	}
}

func TestInvalidUse(t *testing.T) {
	st := newMemory()
	_, err := Save(t.Context(), st, snapshotAt("../other", noon))
	require.ErrorIs(t, err, ErrInvalid)
	_, err = Save(t.Context(), st, snapshotAt("chat", time.Time{}))
	require.ErrorIs(t, err, ErrInvalid)
	_, err = Prune(t.Context(), st, "chat", 0)
	require.ErrorIs(t, err, ErrInvalid)
	_, _, err = Latest(t.Context(), st, "")
	require.ErrorIs(t, err, ErrInvalid)
}

func TestStoreErrorsStayVisible(t *testing.T) {
	st := newMemory()
	ref, err := Save(t.Context(), st, snapshotAt("chat", noon))
	require.NoError(t, err)
	st.err = errDown
	_, err = Save(t.Context(), st, snapshotAt("chat", noon))
	require.ErrorIs(t, err, errDown)
	_, err = Load(t.Context(), st, ref)
	require.ErrorIs(t, err, errDown)
	_, _, err = Latest(t.Context(), st, "chat")
	require.ErrorIs(t, err, errDown)
	_, err = Prune(t.Context(), st, "chat", 1)
	require.ErrorIs(t, err, errDown)
}

// route is a gateway in memory whose first conflicts writes meet another writer.
type route struct {
	weights   swap.Weights
	conflicts int
	applies   int
	err       error
}

func (r *route) Read(context.Context) (traffic.State, error) {
	return traffic.State{Weights: r.weights}, r.err
}

func (r *route) Apply(_ context.Context, want swap.Weights) (traffic.State, error) {
	r.applies++
	if r.applies <= r.conflicts {
		return traffic.State{Weights: r.weights}, fmt.Errorf("busy: %w", traffic.ErrConflict)
	}
	r.weights = want
	return traffic.State{Weights: want}, nil
}

func (*route) Capabilities() traffic.Capabilities { return traffic.Capabilities{} }

func (r *route) Counters(context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	return swap.PerArm[traffic.Counters]{}, false, nil
}

func TestRestore(t *testing.T) {
	s := snapshotAt("chat", noon)
	canary := swap.Weights{Baseline: 80, Candidate: 20}

	right := &route{weights: swap.AllBaseline}
	got, err := Restore(t.Context(), right, s)
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, *got.Weights)
	require.False(t, got.Changed)
	require.Zero(t, right.applies, "what is right is not written")

	wrong := &route{weights: canary, conflicts: restoreAttempts - 1}
	got, err = Restore(t.Context(), wrong, s)
	require.NoError(t, err)
	require.True(t, got.Changed)
	require.Equal(t, swap.AllBaseline, wrong.weights, "other writers do not stop a restore")
	require.Equal(t, time.UTC, got.At.Location())

	_, err = Restore(t.Context(), &route{weights: canary, conflicts: restoreAttempts}, s)
	require.ErrorIs(t, err, traffic.ErrConflict)
	_, err = Restore(t.Context(), &route{err: traffic.ErrUnreachable}, s)
	require.ErrorIs(t, err, traffic.ErrUnreachable)

	s.Weights = nil
	got, err = Restore(t.Context(), nil, s)
	require.NoError(t, err)
	require.Nil(t, got.Weights)
	require.False(t, got.Changed)
}
