package online

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

const series = `{"status":"success","data":{"resultType":"matrix","result":[
 {"metric":{},"values":[[1000,"2"],[1030,"NaN"],[1060,"+Inf"],[1090,"4.5"]]}]}}`

func TestValuesStandAtTheirSteps(t *testing.T) {
	var asked *http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r
		_, _ = w.Write([]byte(series))
	}))
	defer srv.Close()
	s := Server{URL: srv.URL + "/", Token: "secret", HTTP: srv.Client()}
	q := swap.OnlineQuery{Query: `sum(rate(x{$arm}[$window]))`}
	values, err := s.Values(t.Context(), q, `model="a"`, Span{From: time.Unix(970, 0), To: time.Unix(1090, 0), Step: 30 * time.Second})
	require.NoError(t, err)
	require.Len(t, values, 4)
	require.InDelta(t, 2, values[0], 0)
	require.True(t, math.IsNaN(values[1]) && math.IsNaN(values[2]), "what is no number is absent and not 0")
	require.InDelta(t, 4.5, values[3], 0)
	require.Equal(t, "/api/v1/query_range", asked.URL.Path)
	require.Equal(t, `sum(rate(x{model="a"}[30s]))`, asked.URL.Query().Get("query"))
	require.Equal(t, "1000.000", asked.URL.Query().Get("start"))
	require.Equal(t, "1090.000", asked.URL.Query().Get("end"))
	require.Equal(t, "Bearer secret", asked.Header.Get("Authorization"))
}

func TestAnswersThatAreNoSeries(t *testing.T) {
	answer := func(result string) string {
		return `{"status":"success","data":{"resultType":"matrix","result":[` + result + `]}}`
	}
	for body, want := range map[string]string{
		``:                                   "not that of Prometheus",
		`<html>`:                             "not that of Prometheus",
		`{"status":"error","error":"parse"}`: "the query failed: parse",
		`{"status":"success","data":{"resultType":"vector","result":[]}}`: `a "vector" and not a matrix`,
		answer(``): "no series matches",
		answer(`{"values":[[1,"1"]]},{"values":[[1,"1"]]}`): "2 series match; aggregate them",
		answer(`{"values":[[1,"x"]]}`):                      `has the value "x"`,
		answer(`{"values":[["1","1"]]}`):                    "no pair of a time and a value",
		answer(`{"values":[[1,1]]}`):                        "no pair of a time and a value",
	} {
		_, err := ParseRange([]byte(body))
		require.ErrorContains(t, err, want, body)
	}
	points, err := ParseRange([]byte(answer(`{"values":[]}`)))
	require.NoError(t, err)
	require.Empty(t, points)
}

func TestServersThatDoNotAnswer(t *testing.T) {
	minute := Span{From: time.Unix(0, 0), To: time.Unix(60, 0), Step: time.Minute}
	for status, want := range map[int]string{401: "HTTP 401", 503: "HTTP 503", 422: "the query failed: too many"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"status":"error","error":"too many"}`))
		}))
		_, err := Server{URL: srv.URL, HTTP: srv.Client()}.Values(t.Context(), swap.OnlineQuery{}, "", minute)
		require.ErrorContains(t, err, want)
		srv.Close()
	}
	_, err := Server{URL: "http://127.0.0.1:1", HTTP: http.DefaultClient, Token: "secret"}.Values(
		t.Context(), swap.OnlineQuery{}, "", minute)
	require.ErrorContains(t, err, "Prometheus cannot be asked")
	require.NotContains(t, err.Error(), "secret")
}

func FuzzParseRange(f *testing.F) {
	f.Add(series)
	f.Add(strings.ReplaceAll(series, "1000", "1e300"))
	f.Fuzz(func(t *testing.T, body string) {
		points, err := ParseRange([]byte(body))
		for _, p := range points {
			require.False(t, math.IsNaN(p.Value) || math.IsInf(p.Value, 0))
		}
		if err == nil {
			_ = place(points, time.Unix(0, 0), Span{From: time.Unix(0, 0), To: time.Unix(60, 0), Step: time.Second})
		}
	})
}
