package rawlog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// T58: a P99 of too few requests is luck.
func TestAP99NeedsRequests(t *testing.T) {
	for n, has := range map[int]bool{P99Floor - 1: false, P99Floor: true} {
		s := NewProfileSummary(canonical())
		for i := range n {
			r := request(int64(100+i), int64(400+i), 31)
			r.Arm = string(swap.Candidate)
			s.Add(&r)
		}
		ttft := s.Arms()[0].Metrics[0]
		require.Equal(t, n, ttft.Requests)
		require.True(t, ttft.P95.Valid())
		require.Equal(t, has, ttft.P99.Valid())
		if has {
			require.Empty(t, ttft.Note)
			require.InDelta(t, 100+0.99*(P99Floor-1), ttft.P99.Or(0), 1e-9)
		} else {
			require.Equal(t, "P99 needs 662 requests, 661 have it", ttft.Note)
		}
	}
}

func TestASummaryCountsAllAndMeasuresTheGood(t *testing.T) {
	settle := request(9000, 9100, 3)
	settle.Measured = false
	unknown := request(5, 6, 2)
	records := []Record{request(100, 200, 11), failure(swap.HTTP5xx), settle, request(300, 300, 1)}
	for i := range records {
		records[i].Arm = string(swap.Baseline)
	}
	s := NewProfileSummary(guideLLM())
	for _, r := range append([]Record{unknown}, records...) {
		s.Add(&r)
	}
	arms := s.Arms()
	require.Len(t, arms, 2)
	require.Empty(t, arms[1].Arm)
	b := arms[0]
	require.Equal(t, "baseline", b.Arm)
	require.Equal(t, 4, b.Requests)
	require.Equal(t, 1, b.Settle)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 3, swap.HTTP5xx: 1}, b.Outcomes)
	byName := map[string]MetricSummary{}
	for _, m := range b.Metrics {
		byName[m.Metric] = m
	}
	require.InDelta(t, 200, byName["ttft"].Mean.Or(0), 1e-9)
	require.InDelta(t, 100, byName["ttft"].P50.Or(0), 1e-9, "by the inverse CDF, not in between")
	require.InDelta(t, 10, byName["itl"].Mean.Or(0), 1e-9)
	require.Equal(t, 1, byName["itl"].Requests, "an answer of one token has none")
	require.InDelta(t, (200.0+300)/12, byName["tpot"].Mean.Or(0), 1e-9, "weighted by tokens")
	require.Equal(t, 0, byName["e2e"].Requests, "these records have no end of stream")
	require.False(t, byName["e2e"].Mean.Valid())
	require.Equal(t, "no request has it", byName["e2e"].Note)
}
