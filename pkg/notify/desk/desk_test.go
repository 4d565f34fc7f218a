package desk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/notify/desk"
	"github.com/swapgate/swapgate/pkg/swap"
)

const token = "xoxb-1-secret"

// runs stands for Temporal: it does an update of an id once, as Temporal does.
type runs struct {
	mu      sync.Mutex
	spec    swap.Spec
	ended   bool
	missing bool
	fail    error
	asked   []desk.Update
	done    map[string]swap.Answer
}

func (r *runs) Run(_ context.Context, workflowID, runID string) (desk.Run, error) {
	if r.missing || workflowID != "swap-chat" || runID != "run-1" {
		return desk.Run{}, desk.ErrNoRun
	}
	return desk.Run{Spec: r.spec, Running: !r.ended}, nil
}

func (r *runs) Update(_ context.Context, u desk.Update) (swap.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return swap.Answer{}, r.fail
	}
	key := u.WorkflowID + u.RunID + u.ID
	if a, found := r.done[key]; found {
		return a, nil
	}
	r.asked = append(r.asked, u)
	r.done[key] = swap.Answer{Message: fmt.Sprintf("%s by %s.", u.Name, u.By.By)}
	return r.done[key], nil
}

// slackAPI answers presses and lists members of groups.
type slackAPI struct {
	*httptest.Server
	mu      sync.Mutex
	members http.HandlerFunc
	replies chan string
}

func newAPI(t *testing.T) *slackAPI {
	t.Helper()
	a := &slackAPI{replies: make(chan string, 100)}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/respond":
			body, _ := io.ReadAll(r.Body)
			a.replies <- string(body)
		case "/api/usergroups.users.list":
			a.mu.Lock()
			defer a.mu.Unlock()
			a.members(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// site is a desk with all that it asks.
type site struct {
	*desk.Desk
	runs *runs
	api  *slackAPI
	log  *bytes.Buffer
}

func newSite(t *testing.T) *site {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(token), 0o600))
	api := newAPI(t)
	s := &site{api: api, log: &bytes.Buffer{}, runs: &runs{done: map[string]swap.Answer{}, spec: swap.Spec{
		Target: "chat",
		Notify: swap.Notify{Slack: &swap.Slack{
			Channel: "#models", Token: &swap.SecretRef{File: file}, Approvers: []string{"UANN", "UBOB"}, APIURL: api.URL + "/api",
		}},
	}}}
	s.Desk = desk.Open(t.Context(), s.runs, notify.Poster{HTTP: api.Client()},
		desk.Replier{HTTP: api.Client(), APIURL: api.URL + "/api"}, slog.New(slog.NewTextHandler(s.log, nil)))
	t.Cleanup(func() {
		s.Close()
		require.NotContains(t, s.log.String(), "secret")
	})
	return s
}

// press is a button of the run as the given user presses it.
func (s *site) press(t *testing.T, user string, change func(*button.Value)) desk.Press {
	t.Helper()
	v := button.Value{Action: button.Approve, WorkflowID: "swap-chat", RunID: "run-1", Weight: 20, Seq: 7}
	if change != nil {
		change(&v)
	}
	signed, err := button.NewKey(token).Sign(v)
	require.NoError(t, err)
	return desk.Press{UserID: user, UserName: strings.ToLower(user[1:]), Value: signed, ResponseURL: s.api.URL + "/respond"}
}

func TestAPressAsksTheRunWithWhoPressed(t *testing.T) {
	s := newSite(t)
	require.Equal(t, "approve by ann (Slack UANN).", s.Answer(t.Context(), s.press(t, "UANN", nil)))
	require.Equal(t, []desk.Update{{
		WorkflowID: "swap-chat", RunID: "run-1", ID: "slack-approve-7", Name: swap.UpdateApprove,
		By: swap.ByRequest{By: "ann (Slack UANN)", Reason: "pressed in Slack", Weight: 20},
	}}, s.runs.asked)
	require.Contains(t, s.log.String(), "user=UANN")
}

func TestADoubleClickAsksOnce(t *testing.T) {
	s := newSite(t)
	first := s.Answer(t.Context(), s.press(t, "UANN", nil))
	require.Equal(t, first, s.Answer(t.Context(), s.press(t, "UANN", nil)))
	require.Len(t, s.runs.asked, 1)
	s.Answer(t.Context(), s.press(t, "UANN", func(v *button.Value) { v.Seq++ }))
	require.Len(t, s.runs.asked, 2, "the button of a later state is another wish")
}

func TestTwoPeopleAtOnceAskOnceAndBothLearnWhoDidIt(t *testing.T) {
	s := newSite(t)
	answers := make([]string, 2)
	var wg sync.WaitGroup
	for i, user := range []string{"UANN", "UBOB"} {
		p := s.press(t, user, nil)
		wg.Go(func() { answers[i] = s.Answer(t.Context(), p) })
	}
	wg.Wait()
	require.Len(t, s.runs.asked, 1)
	require.Equal(t, answers[0], answers[1])
	require.Contains(t, answers[0], s.runs.asked[0].By.By)
}

func TestRefusals(t *testing.T) {
	unlisted := "You are not listed as an approver of this target (notify.slack.approvers of its swap.yaml), so nothing was done."
	forged := "The button's signature does not hold; it is forged, or older than the bot's token."
	ended := "The run has ended. To put the traffic of chat back, use: swapgate rollback chat -f swap.yaml"
	silent := "The run did not answer in time. Its message shows whether it heard you; press again if not, which does nothing twice."
	for name, c := range map[string]struct {
		user    string
		arrange func(*site)
		change  func(*desk.Press)
		want    string
	}{
		"unlisted user":             {user: "UEVE", want: unlisted},
		"id of a listed user in it": {user: "UANNE", want: unlisted},
		"run gone":                  {user: "UANN", arrange: func(s *site) { s.runs.missing = true }, want: ended},
		"run ended":                 {user: "UANN", arrange: func(s *site) { s.runs.ended = true }, want: ended},
		"run ended meanwhile":       {user: "UANN", arrange: func(s *site) { s.runs.fail = desk.ErrNoRun }, want: ended},
		"unlisted user of an ended run": {
			user: "UEVE", arrange: func(s *site) { s.runs.ended = true }, want: unlisted,
		},
		"the run refuses": {
			user: "UANN", arrange: func(s *site) { s.runs.fail = &desk.RefusedError{Sentence: "nothing to approve"} },
			want: "Nothing to approve.",
		},
		"no worker answers": {
			user: "UANN", arrange: func(s *site) { s.runs.fail = errors.New("10.0.0.7:7233 is down") }, want: silent,
		},
		"forged value": {
			user: "UANN", change: func(p *desk.Press) { p.Value = p.Value[:len(p.Value)-4] + "AAAA" }, want: forged,
		},
		"no value": {
			user: "UANN", change: func(p *desk.Press) { p.Value = "" }, want: "The button is none of swapgate's, or of another version.",
		},
		"another token": {
			user: "UANN", arrange: func(s *site) { writeToken(s, "xoxb-2-secret") }, want: forged,
		},
		"another target under the run's id": {
			user: "UANN", arrange: func(s *site) { s.runs.spec.Target = "other" }, want: forged,
		},
		"a run without Slack": {
			user: "UANN", arrange: func(s *site) { s.runs.spec.Notify.Slack = nil }, want: forged,
		},
		"the token is missing here": {
			user: "UANN", arrange: func(s *site) { s.runs.spec.Notify.Slack.Token.File = "/nowhere" },
			want: "The worker that hears Slack's buttons lacks the bot's token, so nothing was done. Its log says which.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			if c.arrange != nil {
				c.arrange(s)
			}
			p := s.press(t, c.user, nil)
			if c.change != nil {
				c.change(&p)
			}
			require.Equal(t, c.want, s.Answer(t.Context(), p))
			require.Empty(t, s.runs.asked)
		})
	}
}

func writeToken(s *site, text string) {
	if err := os.WriteFile(s.runs.spec.Notify.Slack.Token.File, []byte(text), 0o600); err != nil {
		panic(err)
	}
}

func TestAButtonOfAnotherRunAddressesThatRunOnly(t *testing.T) {
	s := newSite(t)
	other := s.press(t, "UANN", func(v *button.Value) { v.RunID = "run-0" })
	require.Contains(t, s.Answer(t.Context(), other), "The run has ended.")
	require.Empty(t, s.runs.asked)
}

func TestMembersOfAListedGroupMayPress(t *testing.T) {
	for name, c := range map[string]struct {
		members http.HandlerFunc
		want    string
	}{
		"member":     {said(200, `{"ok":true,"users":["UX","UEVE"]}`), "approve by eve (Slack UEVE)."},
		"no member":  {said(200, `{"ok":true,"users":["UX"]}`), "You are not listed"},
		"limited":    {said(429, ``), "It cannot be told whether you are in the user group SGRP"},
		"down":       {said(500, ``), "It cannot be told"},
		"no scope":   {said(200, `{"ok":false,"error":"missing_scope"}`), "It cannot be told"},
		"broken off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "It cannot be told"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.runs.spec.Notify.Slack.Approvers = []string{"SGRP", "UANN"}
			s.api.members = c.members
			require.Contains(t, s.Answer(t.Context(), s.press(t, "UEVE", nil)), c.want)
			require.Equal(t, name == "member", len(s.runs.asked) == 1)
			later := s.press(t, "UANN", func(v *button.Value) { v.Seq++ })
			require.Equal(t, "approve by ann (Slack UANN).", s.Answer(t.Context(), later), "no group is asked for who is listed")
		})
	}
}

func said(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestOnlyWhoPressedIsAnswered(t *testing.T) {
	s := newSite(t)
	s.runs.fail = &desk.RefusedError{Sentence: "no <!channel> @here"}
	require.True(t, s.Accept(t.Context(), s.press(t, "UANN", nil)))
	require.JSONEq(t, "{\"response_type\":\"ephemeral\",\"replace_original\":false,\"text\":\"No &lt;!channel&gt; @\u2060here.\"}",
		<-s.api.replies)
}

func TestAnswersGoToSlackOnly(t *testing.T) {
	s := newSite(t)
	for _, address := range []string{
		"", "http://hooks.slack.com/x", "https://hooks.slack.com.evil.example/x", "https://evil.example/hooks.slack.com",
		"https://hooks.slack.com:8443/x", "https://slack.com@evil.example/", "http://127.0.0.1:1/respond", "::",
	} {
		require.ErrorContains(t, s.Reply.Tell(t.Context(), address, "x"), "not Slack's", address)
	}
}

func TestAnAnswerThatIsNotTakenHoldsNoAddress(t *testing.T) {
	s := newSite(t)
	err := s.Reply.Tell(t.Context(), s.api.URL+"/gone/secret", "x")
	require.EqualError(t, err, "the answer was not taken: HTTP 404")
	s.api.Close()
	err = s.Reply.Tell(t.Context(), s.api.URL+"/respond/secret", "x")
	require.ErrorContains(t, err, "the answer was not sent")
	require.NotContains(t, err.Error(), "secret")
}
