package attribution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// world is one arm: seconds of queueing on average, and factors on prefill, on the time for a token and on the length of answers.
type world struct{ queue, prefill, decode, length float64 }

var usual = world{.02, 1, 1, 1}

func measure(seed uint64, candidate world) *Collector {
	random := rand.New(rand.NewPCG(seed, 2))
	var m swap.StepManifest
	for b := range 16 {
		var r swap.BlockResult
		r.Step, r.Block, r.Pair, r.Arm = 1+b/8, b+1, b/2, swap.Arms[b%2]
		m.Blocks = append(m.Blocks, r)
	}
	c := NewCollector([]swap.StepManifest{m})
	for _, b := range m.Blocks {
		w := usual
		if b.Arm == swap.Candidate {
			w = candidate
		}
		noise := math.Exp(.01 * random.NormFloat64())
		for seq := range int32(100) {
			tokens := int32(w.length * (60 + 20*random.Float64()))
			first := int64(1e6 * (w.queue*random.ExpFloat64() + .05*w.prefill*(1+.1*random.Float64())))
			last := first + int64(1e6*.01*w.decode*noise*float64(tokens-1))
			c.Add([]rawlog.Record{{
				Step: int32(b.Step), Block: int32(b.Block), Seq: seq, Measured: true, SentUnixNS: 1, FirstUS: &first, LastUS: &last,
				OutputTokens: &tokens, Outcome: string(swap.OK),
			}})
		}
	}
	return c
}

// Of 60 seeded measurements for each layer, in each of which one layer changed: how often it is named.
func TestThePlantedLayerIsRecovered(t *testing.T) {
	for name, plants := range map[swap.Layer][]world{
		swap.LayerData:   {{.02, 1, 1, 1.1}, {.02, 1, 1, 1.3}, {.02, 1, 1, .8}},
		swap.LayerSystem: {{.08, 1, 1, 1}, {.15, 1, 1, 1}, {.3, 1, 1, 1}},
		swap.LayerModel:  {{.02, 1, 1.08, 1}, {.02, 1, 1.3, 1}, {.02, 3, 1, 1}},
	} {
		right, all := 0, 0
		for k, plant := range plants {
			for seed := range uint64(20) {
				a := measure(100*uint64(k)+seed, plant).Attribution()
				all++
				if a.Layer == name {
					right++
				}
				sum := 0.
				for _, l := range a.Layers {
					sum += l.DeltaMS.Or(0)
				}
				require.InDelta(t, a.DeltaMS.Or(0), sum, 1e-6)
			}
		}
		t.Logf("%s: %d of %d", name, right, all)
		require.GreaterOrEqual(t, float64(right)/float64(all), .9, name)
	}
}

func TestNoDifferenceIsAttributedToNothing(t *testing.T) {
	named := 0
	for seed := range uint64(100) {
		if measure(seed, usual).Attribution().Layer != "" {
			named++
		}
	}
	t.Logf("named in %d of 100", named)
	require.LessOrEqual(t, named, 10)
	require.Nil(t, NewCollector(nil).Attribution())
}

func TestPriorityBreaksTiesOnly(t *testing.T) {
	at, tied := carrier([3]float64{48, 0, 52})
	require.Equal(t, 0, at)
	require.True(t, tied)
	at, tied = carrier([3]float64{30, 0, 70})
	require.Equal(t, 2, at)
	require.False(t, tied)
	at, _ = carrier([3]float64{10, -80, 0})
	require.Equal(t, 1, at, "of an improvement the largest gain")
}
