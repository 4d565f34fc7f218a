package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The whole client against a real socket: every request arrives, close to its time, and is accounted for.
func TestRunAgainstAServer(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"a"}}]}`, "\n\n",
			`data: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"completion_tokens":2}}`, "\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	for name, step := range map[string]swap.Step{"open": {Rate: 200}, "closed": {Concurrency: 4}} {
		t.Run(name, func(t *testing.T) {
			c, err := engine.NewClient(engine.Target{URL: srv.URL, Model: "m"}, engine.ClientOptions{})
			require.NoError(t, err)
			defer c.Close()
			p := PlanBlock(generator(t), step, 100*time.Millisecond, 900*time.Millisecond, 1, 7, nil)
			res, err := run(t.Context(), c, p, options())
			require.NoError(t, err)
			require.Equal(t, len(res.Records), rawlog.Outcomes(res.Records)[swap.OK])
			require.Equal(t, 900*time.Millisecond, res.Measured)
			if p.Open() {
				require.Len(t, res.Records, len(p.Arrivals))
				require.InDelta(t, 0, latenessP99(res.Records).Or(1e9), 2000, "generous: the machine is shared")
				t.Logf("send lateness p99 %s ms", latenessP99(res.Records))
			}
		})
	}
}
