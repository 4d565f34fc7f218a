package stats

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Parts that are counted apart, sent as JSON and merged are what counting everything at once gives.
func TestMergedHistogramsAreOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole, merged Histogram
		for _, part := range rapid.SliceOfN(rapid.SliceOf(rapid.Float64Range(-10, 1e10)), 1, 4).Draw(t, "parts") {
			var h Histogram
			for _, v := range part {
				h.Add(v)
				whole.Add(v)
			}
			data, err := json.Marshal(&h)
			require.NoError(t, err)
			var sent Histogram
			require.NoError(t, json.Unmarshal(data, &sent))
			require.Equal(t, h, sent)
			merged.Merge(&sent)
		}
		require.Equal(t, whole, merged)
	})
}

func TestAFullHistogramIsSmall(t *testing.T) {
	var h Histogram
	for i := range h.counts {
		h.counts[i] = 1_000_000_000_000
	}
	data, err := json.Marshal(&h)
	require.NoError(t, err)
	require.Less(t, len(data), 40_000)
}

func FuzzHistogramJSON(f *testing.F) {
	f.Add([]byte(`{"small":1,"counts":{"3":2},"min":0,"max":1}`))
	f.Add([]byte(`{"counts":{"1727":1}}`))
	f.Add([]byte(`{"counts":{"1":18446744073709551615,"2":1},"min":1,"max":0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h Histogram
		if json.Unmarshal(data, &h) != nil {
			return
		}
		sum := h.small
		for _, n := range h.counts {
			sum += n
		}
		require.Equal(t, sum, h.Count())
		h.Quantile(.99)
	})
}
