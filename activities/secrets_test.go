package activities

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// parrot is a server whose errors hold the credential that it was given, as those of some proxies do.
func parrot(code int) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				next.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(code)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"bad credential %s"}}`, r.Header.Get("Authorization"))
		})
	}
}

// Every attempt of this package is held to telling no secret (call.wait). Here the services try to make it tell.
func TestNoServiceMakesAnActivityTellASecret(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusUnauthorized, http.StatusInternalServerError, http.StatusConflict} {
		s := newSite(t, func(p *plan) { p.servers.Candidate = parrot(code) })
		_, err := preflight(t, s)
		require.Error(t, err)
		s.spec.Load.Steps[0].Hold = s.spec.Load.Block
		step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
		_, records := readStep(t, s, step)
		for _, r := range records {
			require.NotContains(t, r.Error, armKey)
		}
	}
	for _, code := range []int{http.StatusUnauthorized, http.StatusServiceUnavailable} {
		s := newSite(t)
		withSlack(t, s, status(code), slackError("bad "+slackToken))
		_, err := notifySlack(t, s, "")
		require.Error(t, err)
	}
}
