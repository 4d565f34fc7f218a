package activities

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// slackServer stands for Slack: it answers from a script, and posts when that has ended.
type slackServer struct {
	mu     sync.Mutex
	script []http.HandlerFunc
	posted []string
	tokens []string
}

func (f *slackServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens = append(f.tokens, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+r.FormValue("token"))
	if len(f.script) > 0 {
		next := f.script[0]
		f.script = f.script[1:]
		next(w, r)
		return
	}
	f.posted = append(f.posted, r.FormValue("text"))
	_, _ = fmt.Fprintf(w, `{"ok":true,"channel":"C1","ts":"1.%d"}`, len(f.posted))
}

// posts are the texts that reached the channel.
func (f *slackServer) posts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.posted
}

// withSlack points the site at a Slack that answers so before it posts.
func withSlack(t *testing.T, s *site, script ...http.HandlerFunc) *slackServer {
	t.Helper()
	f := &slackServer{script: script}
	s.spec.Notify.Slack = &swap.Slack{Channel: "#models", Token: secretFile(t, slackToken), APIURL: serve(t, f, nil)}
	return f
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		http.Error(w, "no: "+r.Header.Get("Authorization")+r.FormValue("token"), code)
	}
}

func slackError(code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"ok":false,"error":%q}`, code) }
}

func notifySlack(t *testing.T, s *site, alarm string) (*swap.ObjectRef, error) {
	t.Helper()
	return run[*swap.ObjectRef](t, s, swap.ActivityNotifySlack, swap.NotifyInput{Spec: s.spec, Verdict: verdictOf(s), Alarm: alarm})
}

func stored(t *testing.T, s *site, ref *swap.ObjectRef) string {
	t.Helper()
	data, err := openStore(t, s.spec.Store).GetBytes(t.Context(), *ref)
	require.NoError(t, err)
	return string(data)
}

func TestSlackWithoutATokenIsStoredOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := withSlack(t, s)
	s.spec.Notify.Slack.Token = nil
	ref, err := notifySlack(t, s, "")
	require.NoError(t, err)
	require.Contains(t, stored(t, s, ref), "The candidate is slower.")
	require.Empty(t, f.posts())
	require.Empty(t, f.tokens)
}

func TestSlackIsPostedOnceHoweverOftenItIsTried(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := withSlack(t, s)
	first, err := notifySlack(t, s, "")
	require.NoError(t, err)
	again, err := notifySlack(t, s, "")
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Len(t, f.posts(), 1)
	require.Equal(t, []string{slackToken}, f.tokens)
	require.NotContains(t, stored(t, s, first), slackToken)
}

func TestSlackIsPostedOnceItIsBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := withSlack(t, s, status(http.StatusServiceUnavailable), status(http.StatusServiceUnavailable))
	for range 2 {
		_, err := notifySlack(t, s, "")
		requireType(t, err, TypeSlackUnavailable, true)
	}
	require.Empty(t, f.posts())
	_, err := notifySlack(t, s, "")
	require.NoError(t, err)
	_, err = notifySlack(t, s, "")
	require.NoError(t, err)
	require.Len(t, f.posts(), 1)
}

func TestSlackThatIsBusySaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := withSlack(t, s, status(http.StatusTooManyRequests, "Retry-After", "7"))
	_, err := notifySlack(t, s, "")
	requireType(t, err, TypeSlackUnavailable, true)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, 7*time.Second, app.NextRetryDelay())
	_, err = notifySlack(t, s, "")
	require.NoError(t, err)
	require.Len(t, f.posts(), 1)
}

func TestSlackErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		name   string
	}{
		"token revoked": {slackError("token_revoked"), TypeSlackRefused},
		"no channel":    {slackError("channel_not_found"), TypeSlackRefused},
		"message":       {slackError("invalid_blocks"), TypeSlackRefused},
		// Slack may have posted it: no second message, and a person is told to look.
		"broken off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, TypeSlackUncertain},
		"HTTP 500":   {status(http.StatusInternalServerError), TypeSlackUncertain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			f := withSlack(t, s, c.answer)
			_, err := notifySlack(t, s, "")
			requireType(t, err, c.name, false)
			if c.name == TypeSlackUncertain {
				_, err = notifySlack(t, s, "")
				requireType(t, err, TypeSlackUncertain, false)
				require.Empty(t, f.posts())
			}
		})
	}
}

func TestSlackTokenThatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	withSlack(t, s)
	s.spec.Notify.Slack.Token = &swap.SecretRef{File: "/nowhere/token"}
	_, err := notifySlack(t, s, "")
	requireType(t, err, TypeSecretMissing, false)
}

func TestSlackAlarmIsKeptApartFromTheVerdict(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := withSlack(t, s)
	verdict, err := notifySlack(t, s, "")
	require.NoError(t, err)
	alarm, err := notifySlack(t, s, "The rollback does not get through.")
	require.NoError(t, err)
	_, err = notifySlack(t, s, "The rollback does not get through.")
	require.NoError(t, err)
	run := swap.RunKey{Target: "chat", RunID: testRunID}
	store := openStore(t, s.spec.Store)
	require.Equal(t, store.URI(runstore.SlackKey(run, "slack-verdict")), verdict.URI)
	require.Equal(t, store.URI(runstore.SlackKey(run, "slack-alarm")), alarm.URI)
	posts := f.posts()
	require.Len(t, posts, 2)
	require.Contains(t, posts[1], "The rollback does not get through.")
	require.NotContains(t, posts[0], "The rollback does not get through.")
}
