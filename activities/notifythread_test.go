package activities

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// workspace stands for Slack with threads and files: it counts what each method did.
type workspace struct {
	mu      sync.Mutex
	url     string
	calls   map[string]int
	threads []string
	refuse  string // a method that is refused
}

func (w *workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	method := strings.TrimPrefix(r.URL.Path, "/")
	w.calls[method]++
	if method == w.refuse {
		_, _ = fmt.Fprint(rw, `{"ok":false,"error":"missing_scope"}`)
		return
	}
	switch method {
	case "chat.postMessage":
		w.threads = append(w.threads, r.FormValue("thread_ts"))
		_, _ = fmt.Fprintf(rw, `{"ok":true,"channel":"C1","ts":"1.%d"}`, len(w.threads))
	case "chat.update":
		_, _ = fmt.Fprintf(rw, `{"ok":true,"channel":"C1","ts":%q}`, r.FormValue("ts"))
	case "files.getUploadURLExternal":
		_, _ = fmt.Fprintf(rw, `{"ok":true,"upload_url":%q,"file_id":"F1"}`, w.url+"/upload")
	case "files.completeUploadExternal":
		_, _ = fmt.Fprint(rw, `{"ok":true,"files":[{"id":"F1"}]}`)
	}
}

func withWorkspace(t *testing.T, s *site) *workspace {
	t.Helper()
	w := &workspace{calls: map[string]int{}}
	w.url = serve(t, w, nil)
	s.spec.Notify.Slack = &swap.Slack{Channel: "#models", Token: secretFile(t, slackToken), APIURL: w.url, Approvers: []string{"U1"}}
	return w
}

func updateThread(t *testing.T, s *site, news swap.RunNews, chart *swap.ObjectRef) (swap.ThreadResult, error) {
	t.Helper()
	verdict := verdictOf(s)
	verdict.Provenance.WorkflowID, verdict.Provenance.RunID = "swap-chat", testRunID
	verdict.Artifacts.Chart = chart
	return run[swap.ThreadResult](t, s, swap.ActivityUpdateThread, swap.ThreadInput{Spec: s.spec, Verdict: verdict, News: news})
}

func putChartOf(t *testing.T, s *site) *swap.ObjectRef {
	t.Helper()
	key := runstore.ChartKey(swap.RunKey{Target: "chat", RunID: testRunID})
	ref, err := openStore(t, s.spec.Store).PutBytes(t.Context(), key, "image/png", []byte("png"), chartSchema)
	require.NoError(t, err)
	return &ref
}

var (
	newsStarted = swap.RunNews{Seq: 1, Stage: swap.StagePreflight}
	newsRollout = swap.RunNews{Seq: 2, Stage: swap.StageRollout, Can: swap.Can{Rollback: true}}
	newsOver    = swap.RunNews{Seq: 3, Stage: swap.StageDone, Over: true}
)

func TestAThreadIsUpdatedAndEndsWithVerdictAndChart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := withWorkspace(t, s)
	chart := putChartOf(t, s)
	for range 2 { // each is tried again after a crash
		for _, n := range []swap.RunNews{newsStarted, newsRollout, newsOver} {
			result, err := updateThread(t, s, n, chart)
			require.NoError(t, err)
			require.Empty(t, result.Missing)
			require.Equal(t, n.Over, result.Message != nil)
			if n.Over {
				require.Contains(t, stored(t, s, result.Message), "The candidate is slower.")
				require.NotContains(t, stored(t, s, result.Message), slackToken)
			}
		}
	}
	require.Equal(t, []string{"", "1.1"}, w.threads, "one message, and the verdict in its thread")
	require.Equal(t, 5, w.calls["chat.update"])
	require.Equal(t, 1, w.calls["files.completeUploadExternal"])
}

func TestAnAlarmGoesIntoTheThread(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := withWorkspace(t, s)
	_, err := updateThread(t, s, newsStarted, nil)
	require.NoError(t, err)
	_, err = notifySlack(t, s, "The rollback does not get through.")
	require.NoError(t, err)
	require.Equal(t, []string{"", "1.1"}, w.threads)
}

func TestAVerdictIsPostedWithoutItsChart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse string
		lost   bool
	}{
		"no scope": {refuse: "files.getUploadURLExternal"},
		"lost":     {lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			w := withWorkspace(t, s)
			w.refuse = c.refuse
			chart := putChartOf(t, s)
			if c.lost {
				chart.SHA256 = strings.Repeat("0", 64)
			}
			result, err := updateThread(t, s, newsOver, chart)
			require.NoError(t, err)
			require.Contains(t, result.Missing, "the chart: ")
			require.Len(t, w.threads, 2)
		})
	}
}

func TestAThreadWithoutATokenIsStoredAtItsEndOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	w := withWorkspace(t, s)
	s.spec.Notify.Slack.Token = nil
	result, err := updateThread(t, s, newsStarted, nil)
	require.NoError(t, err)
	require.Nil(t, result.Message)
	result, err = updateThread(t, s, newsOver, nil)
	require.NoError(t, err)
	require.Contains(t, stored(t, s, result.Message), "The candidate is slower.")
	require.Empty(t, w.calls)
}

func TestErrorsOfAThreadAreThoseOfAMessage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := withSlack(t, s, slackError("token_revoked"), status(http.StatusServiceUnavailable), status(http.StatusInternalServerError))
	_, err := updateThread(t, s, newsStarted, nil)
	requireType(t, err, TypeSlackRefused, false)
	_, err = updateThread(t, s, newsStarted, nil)
	requireType(t, err, TypeSlackUnavailable, true)
	_, err = updateThread(t, s, newsStarted, nil)
	requireType(t, err, TypeSlackUncertain, false)
	require.Empty(t, f.posts())
	result, err := updateThread(t, s, newsOver, nil)
	require.NoError(t, err)
	require.Contains(t, result.Missing, "may have posted")
	require.Len(t, f.posts(), 1, "the verdict is seen all the same")
}
