package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fakeSlack is a workspace with one channel. fail may answer a call of a method before Slack does.
type fakeSlack struct {
	*httptest.Server
	mu       sync.Mutex
	fail     func(method string) http.HandlerFunc
	messages []*message
	files    []string
	calls    []string
}

// message is one in the channel. Its text and blocks are those of its last update.
type message struct {
	ts, thread, text, blocks string
	broadcast                bool
	updates                  int
}

func newSlack(t *testing.T) *fakeSlack {
	t.Helper()
	f := &fakeSlack{}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// answerWith answers calls before Slack does; nil leaves them to it.
func (f *fakeSlack) answerWith(fail func(method string) http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = fail
}

func (f *fakeSlack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	method := strings.TrimPrefix(r.URL.Path, "/api/")
	f.calls = append(f.calls, method)
	if f.fail != nil {
		if answer := f.fail(method); answer != nil {
			answer(w, r)
			return
		}
	}
	switch method {
	case "chat.postMessage":
		m := &message{
			ts: fmt.Sprintf("1.%d", len(f.messages)+1), thread: r.FormValue("thread_ts"), text: r.FormValue("text"),
			blocks: r.FormValue("blocks"), broadcast: r.FormValue("reply_broadcast") == "true",
		}
		f.messages = append(f.messages, m)
		_, _ = fmt.Fprintf(w, `{"ok":true,"channel":"C1","ts":%q}`, m.ts)
	case "chat.update":
		for _, m := range f.messages {
			if m.ts == r.FormValue("ts") && r.FormValue("channel") == "C1" {
				m.text, m.blocks, m.updates = r.FormValue("text"), r.FormValue("blocks"), m.updates+1
				_, _ = fmt.Fprintf(w, `{"ok":true,"channel":"C1","ts":%q}`, m.ts)
				return
			}
		}
		_, _ = io.WriteString(w, `{"ok":false,"error":"message_not_found"}`)
	case "files.getUploadURLExternal":
		_, _ = fmt.Fprintf(w, `{"ok":true,"upload_url":%q,"file_id":"F1"}`, f.URL+"/api/upload")
	case "upload":
		_, _ = io.WriteString(w, "OK")
	case "files.completeUploadExternal":
		f.files = append(f.files, r.FormValue("channel_id")+" "+r.FormValue("thread_ts"))
		_, _ = io.WriteString(w, `{"ok":true,"files":[{"id":"F1"}]}`)
	default:
		_, _ = io.WriteString(w, `{"ok":false,"error":"unknown_method"}`)
	}
}

func (f *fakeSlack) thread(s *store) notify.Thread {
	return notify.Thread{
		Poster: notify.Poster{HTTP: f.Client()}, Claims: s, Token: token, RunID: "run-1",
		To: swap.Slack{Channel: "#models", APIURL: f.URL + "/api", Approvers: []string{"U1"}},
	}
}

func news(n swap.RunNews) swap.ThreadInput {
	v := reporttest.FailInRollout().Verdict
	v.Provenance.WorkflowID, v.Provenance.RunID = "swap-chat", "run-1"
	return swap.ThreadInput{Verdict: v, News: n, Spec: swap.Spec{Rollout: &swap.Rollout{ApproveTimeout: swap.Duration(time.Hour)}}}
}

var (
	started  = swap.RunNews{Seq: 1, Stage: swap.StagePreflight}
	approval = swap.RunNews{
		Seq: 2, Stage: swap.StageRollout, Approve: 20, Asked: 1, Can: swap.Can{Approve: true, Extend: true, Rollback: true},
	}
	approved = swap.RunNews{
		Seq: 3, Stage: swap.StageRollout, Asked: 1, Can: swap.Can{Extend: true, Rollback: true},
		Deeds: []swap.Deed{{N: 1, Answer: "20 % on the candidate approved by ann (Slack U1)."}},
	}
	rolledBack = swap.RunNews{Seq: 4, Stage: swap.StageRollback, RolledBack: true}
	over       = swap.RunNews{Seq: 5, Stage: swap.StageDone, RolledBack: true, Over: true}
)

// tellAll tells the whole life of a run.
func tellAll(t *testing.T, th notify.Thread) {
	t.Helper()
	for _, n := range []swap.RunNews{started, approval, approved, rolledBack, over} {
		in := news(n)
		in.Verdict.Artifacts.Chart = &swap.ObjectRef{}
		told, err := th.Tell(t.Context(), in, []byte("png"))
		require.NoError(t, err)
		require.Empty(t, told.Missing)
	}
}

func TestARunHasOneMessageThatIsUpdatedAndNotRepeated(t *testing.T) {
	f, s := newSlack(t), newStore()
	tellAll(t, f.thread(s))
	parent := f.messages[0]
	require.Equal(t, 4, parent.updates)
	require.Contains(t, parent.text, "FAIL", "at the end the message shows the verdict")
	require.NotContains(t, parent.blocks, `"button"`, "and nothing can be pressed")
	require.Len(t, f.messages, 5, "beside it: approval, who approved, the rollback and the verdict")
	for i, m := range f.messages[1:] {
		require.Equal(t, parent.ts, m.thread)
		require.Equal(t, i != 1, m.broadcast, "who approved wakes nobody")
	}
	require.Equal(t, []string{"C1 " + parent.ts}, f.files)

	tellAll(t, f.thread(s)) // redelivered, or tried again after a crash
	require.Len(t, f.messages, 5)
	require.Len(t, f.files, 1)
}

func TestButtonsAskForThisRunOnly(t *testing.T) {
	f, s := newSlack(t), newStore()
	_, err := f.thread(s).Tell(t.Context(), news(approval), nil)
	require.NoError(t, err)
	var blocks []struct {
		Type     string `json:"type"`
		Elements []struct {
			ActionID string          `json:"action_id"`
			Value    string          `json:"value"`
			Style    string          `json:"style"`
			Confirm  json.RawMessage `json:"confirm"`
		} `json:"elements"`
	}
	require.NoError(t, json.Unmarshal([]byte(f.messages[0].blocks), &blocks))
	var got []button.Value
	for _, b := range blocks {
		if b.Type != "actions" {
			continue
		}
		for _, e := range b.Elements {
			v, err := button.NewKey(token).Verify(e.Value)
			require.NoError(t, err)
			require.Equal(t, v.Action.ID(), e.ActionID)
			require.Equal(t, v.Action == button.Rollback, len(e.Confirm) > 0, "only going back asks again")
			got = append(got, v)
		}
	}
	of := func(a button.Action, weight int) button.Value {
		return button.Value{Action: a, WorkflowID: "swap-chat", RunID: "run-1", Weight: weight, Seq: 2}
	}
	require.Equal(t, []button.Value{of(button.Approve, 20), of(button.Extend, 0), of(button.Rollback, 0)}, got)
}

func TestAVerdictIsPostedThoughItsChartIsNot(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"scope":   answer(200, `{"ok":false,"error":"missing_scope","needed":"files:write"}`),
		"limited": answer(429, ``),
		"down":    answer(500, `xoxb-1-secret`),
		"cut off": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no JSON": answer(200, `<html>`),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example", http.StatusTemporaryRedirect)
		},
	} {
		for _, method := range []string{"files.getUploadURLExternal", "upload", "files.completeUploadExternal"} {
			if method == "upload" && (name == "no JSON" || name == "scope") {
				continue // of the answer to the bytes only the status counts
			}
			t.Run(name+" "+method, func(t *testing.T) {
				f, s := newSlack(t), newStore()
				f.answerWith(func(m string) http.HandlerFunc {
					if m == method {
						return answer
					}
					return nil
				})
				in := news(over)
				in.Verdict.Artifacts.Chart = &swap.ObjectRef{}
				told, err := f.thread(s).Tell(t.Context(), in, []byte("png"))
				require.NoError(t, err)
				require.Contains(t, told.Missing, "the chart: ")
				require.NotContains(t, told.Missing, "secret")
				require.Len(t, f.messages, 2)
			})
		}
	}
}

func TestSlackThatIsDownIsTriedAgainWithoutRepeating(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		after  time.Duration
	}{
		"limited":     {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) }, 7 * time.Second},
		"down":        {answer(500, ``), 0},
		"unavailable": {answer(503, ``), 0},
		"cut off":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newSlack(t), newStore()
			th := f.thread(s)
			_, err := th.Tell(t.Context(), news(started), nil)
			require.NoError(t, err)
			f.answerWith(func(method string) http.HandlerFunc {
				if method == "chat.update" {
					return c.answer
				}
				return nil
			})
			_, err = th.Tell(t.Context(), news(approval), nil)
			require.True(t, notify.Retryable(err))
			require.True(t, notify.NotPosted(err), "an update may always be done again")
			var limited *notify.RateLimitedError
			require.Equal(t, c.after > 0, asLimited(err, &limited))
			if limited != nil {
				require.Equal(t, c.after, limited.RetryAfter)
			}
			f.answerWith(nil)
			_, err = th.Tell(t.Context(), news(approval), nil)
			require.NoError(t, err)
			require.Len(t, f.messages, 2)
			require.Contains(t, f.messages[0].text, "Approval needed")
		})
	}
}

func TestSlackThatDoesNotAnswerIsTriedAgain(t *testing.T) {
	f, s := newSlack(t), newStore()
	th := f.thread(s)
	_, err := th.Tell(t.Context(), news(started), nil)
	require.NoError(t, err)
	ctx, timeOut := context.WithCancel(t.Context())
	f.answerWith(func(string) http.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			timeOut()
			<-r.Context().Done()
		}
	})
	_, err = th.Tell(ctx, news(approval), nil)
	require.ErrorIs(t, err, context.Canceled)
	f.answerWith(nil)
	_, err = th.Tell(t.Context(), news(approval), nil)
	require.NoError(t, err)
	require.Len(t, f.messages, 2)
}

func TestAVerdictIsSeenThoughTheMessageIsUnknownOrDeleted(t *testing.T) {
	t.Run("unknown", func(t *testing.T) {
		f, s := newSlack(t), newStore()
		th := f.thread(s)
		f.answerWith(func(string) http.HandlerFunc { return answer(500, ``) })
		_, err := th.Tell(t.Context(), news(started), nil)
		require.False(t, notify.NotPosted(err))
		f.answerWith(nil)
		told, err := th.Tell(t.Context(), news(over), []byte("png"))
		require.NoError(t, err)
		require.Contains(t, told.Missing, "may have posted")
		require.Len(t, f.messages, 1, "no second message of the run, but its verdict")
		require.Contains(t, f.messages[0].text, "FAIL")
		require.Empty(t, f.messages[0].thread)
	})
	t.Run("deleted", func(t *testing.T) {
		f, s := newSlack(t), newStore()
		th := f.thread(s)
		_, err := th.Tell(t.Context(), news(started), nil)
		require.NoError(t, err)
		f.messages[0].ts = "gone"
		told, err := th.Tell(t.Context(), news(over), nil)
		require.NoError(t, err)
		require.Contains(t, told.Missing, "may have been deleted")
		require.Len(t, f.messages, 2)
	})
}

func TestTextFromOutsideIsHarmlessInEveryState(t *testing.T) {
	const nasty = "<!channel> *@here* <https://evil.example|click> & `x`\n\u202e"
	for _, n := range []swap.RunNews{started, approval, approved, rolledBack, over} {
		in := news(n)
		v := &in.Verdict
		v.Target, v.Arms.Baseline.Model, v.Arms.Candidate.Model, v.Summary = nasty, nasty, nasty, nasty
		v.Reasons = []swap.Reason{{Code: "X", Subject: nasty, Message: nasty}}
		for i := range in.News.Deeds {
			in.News.Deeds = []swap.Deed{{N: i + 1, Answer: nasty, By: nasty}}
		}
		f, s := newSlack(t), newStore()
		_, err := f.thread(s).Tell(t.Context(), in, nil)
		require.NoError(t, err)
		for _, m := range f.messages {
			requireHarmless(t, m.text)
			require.NotContains(t, m.blocks, "<!channel>")
			require.NotContains(t, m.blocks, "<https://evil")
			require.NotContains(t, m.blocks, "@here")
			require.NotContains(t, m.blocks, token)
		}
	}
}

func asLimited(err error, target **notify.RateLimitedError) bool { return errors.As(err, target) }
