package instrument

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

// The tallies of several load workers, sent as JSON and merged, say what one tally of all their records says.
func TestMergedTalliesAreOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole, merged Tally
		for _, part := range rapid.SliceOfN(rapid.SliceOf(rapid.Custom(record)), 1, 4).Draw(t, "parts") {
			var one, sent Tally
			for i := range part {
				one.Add(&part[i])
				whole.Add(&part[i])
			}
			data, err := json.Marshal(&one)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &sent))
			merged.Merge(&sent)
		}
		require.Equal(t, whole, merged)
		require.Equal(t, whole.Reading(), merged.Reading())
	})
}

func record(t *rapid.T) rawlog.Record {
	chunks := rapid.Int32Range(0, 50).Draw(t, "chunks")
	return rawlog.Record{
		Measured: rapid.Bool().Draw(t, "measured"), ConnReused: rapid.Bool().Draw(t, "reused"),
		SentUnixNS: rapid.Int64Range(0, 1).Draw(t, "sent"), LateUS: rapid.Int64Range(-100, 1e7).Draw(t, "late"),
		Chunks: chunks, KernelStamped: rapid.Int32Range(0, chunks).Draw(t, "stamped"),
		LagUS: rapid.Ptr(rapid.Int64Range(0, 1e6), true).Draw(t, "lag"),
	}
}
