package gateway

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAdminWeights(t *testing.T) {
	r := newRig(t, Config{}, echo("b"), echo("c"))
	got := r.do(t, http.MethodGet, r.admin.URL+"/admin/weights", "")
	require.JSONEq(t, `{"baseline":100,"candidate":0,"version":1}`, got.body)
	require.Equal(t, `"1"`, got.header.Get("ETag"))

	got = r.put(t, `{"baseline":95,"candidate":5,"version":1}`)
	require.Equal(t, 200, got.status)
	require.JSONEq(t, `{"baseline":95,"candidate":5,"version":2}`, got.body)
	got = r.put(t, `{"baseline":80,"candidate":20,"version":1}`)
	require.Equal(t, 409, got.status)
	require.Contains(t, got.body, "it is 2; read the weights and decide again")
	require.Equal(t, 409, r.put(t, `{"baseline":80,"candidate":20}`, "If-Match", `"1"`).status)
	require.Equal(t, 200, r.put(t, `{"baseline":80,"candidate":20}`, "If-Match", `"2"`).status)
	require.Equal(t, 200, r.put(t, `{"baseline":100,"candidate":0}`).status, "without a version the last writer wins")
}

func TestAdminRefusesNonsense(t *testing.T) {
	r := newRig(t, Config{}, echo("b"), echo("c"))
	for body, want := range map[string]string{
		`{"baseline":90,"candidate":5}`:        "sum to 95",
		`{"baseline":110,"candidate":-10}`:     "percentages",
		`{"baseline":100}`:                     "both baseline and candidate",
		`{"baseline":100,"candidate":0,"x":1}`: "unknown field",
		`{"baseline":99.5,"candidate":0.5}`:    "not a JSON object of weights",
		``:                                     "not a JSON object of weights",
	} {
		got := r.put(t, body)
		require.Equal(t, 400, got.status, body)
		require.Contains(t, got.body, want, body)
	}
	require.Equal(t, 400, r.put(t, `{"baseline":100,"candidate":0}`, "If-Match", "x").status)
	require.EqualValues(t, 1, r.gateway.split.read().Version)
}

func TestAdminToken(t *testing.T) {
	r := newRig(t, Config{AdminToken: "secret"}, echo("b"), echo("c"))
	require.Equal(t, 401, r.put(t, `{"baseline":0,"candidate":100}`).status)
	require.Equal(t, 401, r.put(t, `{"baseline":0,"candidate":100}`, "Authorization", "Bearer wrong").status)
	require.Equal(t, 200, r.put(t, `{"baseline":0,"candidate":100}`, "Authorization", "Bearer secret").status)
	require.Equal(t, 200, r.ask(t, "{}").status, "clients need no token")
}

func TestOneOfTwoWritersWins(t *testing.T) {
	r := newRig(t, Config{}, echo("b"), echo("c"))
	var won, lost atomic.Int32
	var writers sync.WaitGroup
	for _, body := range []string{`{"baseline":90,"candidate":10,"version":1}`, `{"baseline":70,"candidate":30,"version":1}`} {
		writers.Go(func() {
			switch r.put(t, body).status {
			case 200:
				won.Add(1)
			case 409:
				lost.Add(1)
			}
		})
	}
	writers.Wait()
	require.EqualValues(t, 1, won.Load())
	require.EqualValues(t, 1, lost.Load())
}

func TestConfig(t *testing.T) {
	const upstreams = `"upstreams":{"baseline":{"url":"http://a:1"},"candidate":{"url":"http://b:1"}}`
	cfg, err := ParseConfig([]byte(`{` + upstreams + `}`))
	require.NoError(t, err)
	require.Equal(t, 100, cfg.Weights.Baseline)
	for bad, want := range map[string]string{
		`{}`:                        "baseline upstream needs",
		`{` + upstreams + `,"x":1}`: "unknown field",
		`{` + upstreams + `,"weights":{"baseline":1,"candidate":1}}`: "sum to 2",
	} {
		_, err := ParseConfig([]byte(bad))
		require.ErrorContains(t, err, want)
	}
}

func TestQuantilesAreExactToFivePercent(t *testing.T) {
	m := &meter{}
	require.False(t, m.read().TTFB.P50.Valid())
	for i := range 1000 {
		m.firstByte(time.Duration(i+1) * time.Millisecond)
	}
	got := m.read().TTFB
	require.InEpsilon(t, 500, got.P50.Or(0), 0.051)
	require.InEpsilon(t, 950, got.P95.Or(0), 0.051)
	require.InEpsilon(t, 990, got.P99.Or(0), 0.051)
	m.firstByte(0)
	m.firstByte(100 * time.Hour)
	require.EqualValues(t, 1002, m.read().TTFB.Count)
}
