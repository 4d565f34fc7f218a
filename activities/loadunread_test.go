package activities

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// atOnce answers completions in one piece, with the answer and the key in it.
func atOnce(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"an answer"}}],"padding":"%200s","auth":%q}`, "", r.Header.Get("Authorization"))
	})
}

// A step on a server that does not stream says so and shows one answer, also of load workers that share it; what is stored
// quotes nothing.
func TestAStepSaysThatItsServerDoesNotStream(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d load workers", shards), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, func(p *plan) {
				p.servers.Candidate = atOnce
				p.deps = func(d *Deps) { d.Shards = Shards{Listen: "127.0.0.1:0", JoinWithin: patience} }
			})
			s.spec.Load.Shards = shards
			got := together(t, startShards(t, s)...)
			_, records := readStep(t, s, got)
			unread := got.Outcomes.Candidate[swap.ParseError]
			require.Equal(t, got.Planned.Candidate, unread)
			require.Len(t, got.Findings, 1)
			finding := got.Findings[0]
			require.Equal(t, "candidate, step 1", finding.Subject)
			require.Regexp(t, fmt.Sprintf("^%d of %d answers could not be read, such as this: POST /v1/chat/completions was answered with the "+
				"whole completion at once as application/json: it does not stream; it begins ", unread, unread)+`"{\\"choices\\":.*an answer.* +…"$`,
				finding.Message)
			require.NotContains(t, finding.Message, armKey)
			require.Contains(t, finding.Next, "turn streaming on")
			for _, r := range records {
				require.NotContains(t, r.Error, "an answer")
			}

			again := together(t, startShards(t, s)...)
			require.Equal(t, fmt.Sprintf("%d of %d answers could not be read", unread, unread), again.Findings[0].Message,
				"an attempt that only reads has no example")
		})
	}
}
