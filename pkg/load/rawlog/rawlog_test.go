package rawlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func us(ms int64) *int64 { v := ms * 1000; return &v }

func n(i int32) *int32 { return &i }

// request is a good measured one: first and last token in ms, and its tokens.
func request(first, last int64, tokens int32) Record {
	return Record{
		Measured: true, Outcome: string(swap.OK), SentUnixNS: 1, ConnReused: true,
		FirstUS: us(first), LastUS: us(last), OutputTokens: n(tokens),
	}
}

func failure(o swap.Outcome) Record { return Record{Measured: true, Outcome: string(o), SentUnixNS: 1} }

// value is a Value as a pair, for tables.
func value(v swap.Value) (float64, bool) { return v.Get() }

func TestMetricsOfARequest(t *testing.T) {
	late := request(100, 460, 40)
	late.LateUS = 5000
	cases := []struct {
		name   string
		r      Record
		metric swap.Metric
		want   float64
		absent bool
	}{
		{"TTFT", late, swap.MetricTTFT, 100, false},
		{"TTFT scheduled holds the client's delay", late, swap.MetricTTFTScheduled, 105, false},
		{"E2E", late, swap.MetricE2E, 460, false},
		{"TPOT of chunks of four (T20)", late, swap.MetricTPOT, 360.0 / 39, false},
		{"tokens", late, swap.MetricOutputTokens, 40, false},
		{"TPOT of one token (T23)", request(100, 100, 1), swap.MetricTPOT, 0, true},
		{"TPOT of no token (T12)", Record{OutputTokens: n(0)}, swap.MetricTPOT, 0, true},
		{"TPOT without usage (T28)", Record{FirstUS: us(1), LastUS: us(9)}, swap.MetricTPOT, 0, true},
		{"TPOT of tokens that came at once", request(100, 100, 5), swap.MetricTPOT, 0, true},
		{"TTFT of an empty answer (T12)", Record{}, swap.MetricTTFT, 0, true},
		{"TTFT scheduled of an empty answer", Record{LateUS: 5}, swap.MetricTTFTScheduled, 0, true},
		{"throughput belongs to a block", late, swap.MetricThroughput, 0, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := value(c.r.PerRequest(c.metric))
			require.Equal(t, c.absent, !ok)
			require.InDelta(t, c.want, got, 1e-9)
		})
	}
}

// T37: failures and the settle time are counted and are no samples.
func TestOnlyGoodMeasuredRequestsAreSamples(t *testing.T) {
	settle := request(9000, 9000, 9)
	settle.Measured = false
	broken := request(1, 1, 1)
	broken.Outcome = string(swap.ResetMidStream)
	records := []Record{request(100, 200, 5), failure(swap.HTTP5xx), settle, broken, request(300, 400, 7)}
	require.Equal(t, swap.OutcomeCounts{swap.OK: 3, swap.HTTP5xx: 1, swap.ResetMidStream: 1}, Outcomes(records))
	require.Equal(t, []float64{100, 300}, Values(records, swap.MetricTTFT))
	require.InDelta(t, 200, Quantile(records, swap.MetricTTFT, 0.5).Or(0), 1e-9, "type 7 interpolates")
	require.InDelta(t, 290, Quantile(records, swap.MetricTTFT, 0.95).Or(0), 1e-9)
	require.InDelta(t, 6, Throughput(records, 2*time.Second).Or(0), 1e-9)
}

func TestNothingGivesNothing(t *testing.T) {
	require.False(t, Quantile(nil, swap.MetricTTFT, 0.5).Valid())
	require.False(t, Throughput(nil, time.Second).Valid())
	require.False(t, Throughput([]Record{request(1, 2, 3)}, 0).Valid())
	noUsage := request(1, 2, 3)
	noUsage.OutputTokens = nil
	require.False(t, Throughput([]Record{noUsage}, time.Second).Valid())
	require.Equal(t, swap.WindowStats{Outcomes: swap.OutcomeCounts{}}, WindowOf(nil, swap.Baseline))
}

func TestLongestFailureRun(t *testing.T) {
	o := func(outcomes ...swap.Outcome) []Record {
		var r []Record
		for _, outcome := range outcomes {
			r = append(r, failure(outcome))
		}
		return r
	}
	cases := []struct {
		records []Record
		want    int
	}{
		{o(), 0},
		{o(swap.OK, swap.OKNoDone), 0},
		{o(swap.HTTP5xx, swap.OK, swap.Empty, swap.HTTP429, swap.OK, swap.HTTP5xx), 2},
		{o(swap.HTTP5xx, swap.Abandoned, swap.HTTP5xx), 2},
		{o(swap.Abandoned, swap.Abandoned), 0},
	}
	for _, c := range cases {
		require.Equal(t, c.want, LongestFailureRun(c.records))
	}
}

func TestWindowSeparatesTheArms(t *testing.T) {
	var records []Record
	for i := range int64(10) {
		b, c := request(100+i, 200+i, 11), request(500+i, 700+i, 11)
		b.Arm, c.Arm = string(swap.Baseline), string(swap.Candidate)
		records = append(records, b, c)
	}
	lost := failure(swap.ConnectFailed)
	cut := failure(swap.Abandoned)
	bad := failure(swap.HTTP5xx)
	bad.Arm = string(swap.Candidate)
	records = append(records, lost, cut, bad)
	got := WindowOf(records, swap.Candidate)
	require.Equal(t, 11, got.Requests)
	require.Equal(t, 1, got.LongestFailureRun)
	require.InDelta(t, 504.5, got.TTFTP50ms.Or(0), 1e-9)
	require.InDelta(t, 20, got.TPOTP50ms.Or(0), 1e-9)
	require.Equal(t, 10, WindowOf(records, swap.Baseline).Requests)
	require.Equal(t, 1, Unattributed(records))
}

// No metric is ever negative or zero by accident, whatever the record.
func TestACountThatContradictsTheTextIsNone(t *testing.T) {
	for _, c := range []struct {
		tokens, chunks int32
		want           swap.Value
	}{{3, 2, swap.Of(3)}, {0, 2, swap.Absent()}, {-1, 1, swap.Absent()}, {0, 0, swap.Of(0)}} {
		r := Record{OutputTokens: &c.tokens, Chunks: c.chunks}
		require.Equal(t, c.want, r.Tokens())
	}
}

func TestTPOTIsPositiveOrAbsent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Record{Outcome: string(swap.OK)}
		if rapid.Bool().Draw(t, "first") {
			v := rapid.Int64Range(0, 1e6).Draw(t, "firstUS")
			r.FirstUS = &v
		}
		if rapid.Bool().Draw(t, "last") {
			v := rapid.Int64Range(0, 1e6).Draw(t, "lastUS")
			r.LastUS = &v
		}
		if rapid.Bool().Draw(t, "usage") {
			v := rapid.Int32Range(0, 100).Draw(t, "tokens")
			r.OutputTokens = &v
		}
		if v, ok := r.TPOT().Get(); ok {
			require.Positive(t, v)
		}
	})
}
