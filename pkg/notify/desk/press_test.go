package desk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/notify/desk"
)

// payload is an interaction as Slack documents it, with what swapgate does not read.
const payload = `{
  "type": "block_actions",
  "user": {"id": "UANN", "username": "ann", "name": "ann", "team_id": "T1"},
  "api_app_id": "A1", "token": "verification", "trigger_id": "1.2.3",
  "container": {"type": "message", "message_ts": "1.1", "channel_id": "C1", "is_ephemeral": false},
  "team": {"id": "T1", "domain": "example"}, "channel": {"id": "C1", "name": "models"},
  "message": {"ts": "1.1", "blocks": []}, "state": {"values": {}},
  "response_url": "https://hooks.slack.com/actions/T1/1/x",
  "actions": [
    {"action_id": "other", "block_id": "b", "type": "button", "value": "no"},
    {"action_id": "swapgate/approve", "block_id": "swapgate-7", "type": "button", "value": "v1.x.y", "action_ts": "1.2"}
  ]
}`

func TestParse(t *testing.T) {
	p, err := desk.Parse([]byte(payload))
	require.NoError(t, err)
	require.Equal(t, desk.Press{
		UserID: "UANN", UserName: "ann", Value: "v1.x.y", ResponseURL: "https://hooks.slack.com/actions/T1/1/x",
	}, p)
}

func TestParseRefusesWhatIsNoPress(t *testing.T) {
	for in, want := range map[string]error{
		``: desk.ErrMalformed, `{`: desk.ErrMalformed, `[]`: desk.ErrMalformed, `{}`: desk.ErrMalformed, `null`: desk.ErrMalformed,
		`"block_actions"`: desk.ErrMalformed, `{"type":"block_actions"}`: desk.ErrMalformed,
		`{"type":"block_actions","user":{"id":"<!channel>"}}`:                   desk.ErrMalformed,
		`{"type":"block_actions","user":{"id":"B1"}}`:                           desk.ErrMalformed,
		`{"type":"block_actions","user":{"id":"U1"},"actions":{}}`:              desk.ErrMalformed,
		`{"type":"block_actions","user":{"id":"U1"}}`:                           desk.ErrNotOurs,
		`{"type":"block_actions","user":{"id":"U1"},"actions":[null]}`:          desk.ErrNotOurs,
		`{"type":"view_submission","user":{"id":"U1"}}`:                         desk.ErrNotOurs,
		`{"type":"block_actions","user":{"id":"U1"},"actions":[{"value":"x"}]}`: desk.ErrNotOurs,
	} {
		_, err := desk.Parse([]byte(in))
		require.ErrorIs(t, err, want, in)
	}
}

func TestWhoPressedIsNamedByIdWhateverTheNameIs(t *testing.T) {
	require.Equal(t, "ann (Slack UANN)", desk.Press{UserID: "UANN", UserName: "ann\n\u202e"}.By())
	require.Equal(t, "Slack user UANN", desk.Press{UserID: "UANN", UserName: " \x00"}.By())
	long := desk.Press{UserID: "UANN", UserName: strings.Repeat("x", 500)}.By()
	require.Less(t, len(long), 120)
	require.Contains(t, long, "(Slack UANN)")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(payload))
	f.Add([]byte(`{"type":"block_actions","user":{"id":"U1"},"actions":[{"action_id":"swapgate/x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := desk.Parse(data)
		if err != nil {
			require.Zero(t, p)
			return
		}
		require.True(t, json.Valid(data))
		require.Regexp(t, `^[UW][A-Z0-9]{1,40}$`, p.UserID)
		require.NotContains(t, p.By(), "\n")
	})
}
