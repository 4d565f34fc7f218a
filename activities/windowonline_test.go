package activities

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// A window takes from Prometheus what there is, names what there is not, and is judged all the same.
func TestWindowAsksPrometheusOfBothArms(t *testing.T) {
	t.Parallel()
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, at := r.URL.Query().Get("query"), r.URL.Query().Get("end")
		switch {
		case strings.HasPrefix(query, "gone"):
			_, _ = fmt.Fprint(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
		case query == "ttft{old}":
			_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{"values":[[%s,"0.2"]]}]}}`, at)
		default:
			_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{"values":[[%s,"0.3"]]}]}}`, at)
		}
	}))
	t.Cleanup(prometheus.Close)
	s := newSite(t)
	s.setWeights(t, half)
	s.spec.Rollout.Window = swap.Duration(time.Second)
	s.spec.Rollout.Prometheus = &swap.Prometheus{
		URL: prometheus.URL, Arms: swap.ArmMatchers{Baseline: "old", Candidate: "new"},
		Queries: []swap.OnlineQuery{
			{Name: "ttft", Query: "ttft{$arm}", Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
			{Name: "gone", Query: "gone{$arm}", Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
		},
	}
	w := observe(t, s, windowInput(s)).Window
	require.Equal(t, []swap.OnlineReading{
		{Name: "ttft", Arms: swap.PerArm[swap.Value]{Baseline: swap.Of(.2), Candidate: swap.Of(.3)}, Values: 1},
		{Name: "gone", Problem: "baseline: no series matches"},
	}, w.Online)
	require.Equal(t, swap.ActionHold, w.Decision.Action)
}
