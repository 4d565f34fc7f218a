package rawlog

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestASampleIsSmall(t *testing.T) {
	require.Less(t, unsafe.Sizeof(Sample{}), uintptr(200))
}

// A sample says what its record says.
func TestASampleKeepsTheMetricsOfItsRecord(t *testing.T) {
	metrics := []swap.Metric{
		swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E, swap.MetricOutputTokens, swap.MetricThroughput,
	}
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		s := SampleOf(&r)
		require.Equal(t, r.Good(), s.Good())
		require.Equal(t, r.Tokens(), s.Tokens())
		for _, m := range metrics {
			require.Equal(t, r.PerRequest(m), s.PerRequest(m), m)
		}
		back := s.Record()
		require.Equal(t, r.TTFV(), back.TTFV())
		require.Equal(t, r.E2EStream(), back.E2EStream())
		require.Equal(t, r.Queue(), back.Queue())
		require.Equal(t, r.ClientLate(), back.ClientLate())
		require.Equal(t, r, back, "of this record a sample keeps all")
	})
}

// anyRecord is a record of what a sample keeps.
func anyRecord(t *rapid.T) Record {
	offset := func(label string) *int64 { return rapid.Ptr(rapid.Int64Range(0, 1e9), true).Draw(t, label) }
	count := func(label string) *int32 { return rapid.Ptr(rapid.Int32Range(0, 1e6), true).Draw(t, label) }
	number := func(label string) int32 { return rapid.Int32Range(0, 1e6).Draw(t, label) }
	return Record{
		Step: number("step"), Block: number("block"), Pair: number("pair"), Seq: number("seq"), Unit: number("unit"), Turn: number("turn"),
		Arm: string(rapid.SampledFrom(swap.Arms[:]).Draw(t, "arm")), Measured: rapid.Bool().Draw(t, "measured"),
		ConnReused: rapid.Bool().Draw(t, "reused"), PlannedUnixNS: rapid.Int64().Draw(t, "planned"),
		SentUnixNS: rapid.Int64Range(0, 9).Draw(t, "sent"), LateUS: rapid.Int64Range(0, 1e6).Draw(t, "late"),
		HeldUS: rapid.Int64Range(0, 1e6).Draw(t, "held"), FirstUS: offset("first"), VisibleUS: offset("visible"), LastUS: offset("last"),
		EndUS: offset("end"), LagUS: offset("lag"), Work: rapid.Ptr(rapid.Float64(), true).Draw(t, "work"),
		PromptTokens: count("prompt"), OutputTokens: count("output"), CachedTokens: count("cached"),
		Outcome: string(rapid.SampledFrom(swap.Outcomes).Draw(t, "outcome")), FinishReason: rapid.String().Draw(t, "reason"),
	}
}
