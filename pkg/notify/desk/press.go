package desk

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/report/phrase"
)

// Errors of a payload.
var (
	// ErrMalformed says that a payload is no interaction of Slack.
	ErrMalformed = errors.New("not an interaction of Slack")
	// ErrNotOurs says that an interaction is of another kind than a press of swapgate's buttons, such as a press of a link.
	ErrNotOurs = errors.New("not one of swapgate's buttons")
)

// Press is a button that somebody pressed.
type Press struct {
	// UserID is Slack's id of the user, who is who they are whatever they are called; UserName is a name for people.
	UserID, UserName string
	// Value is what the button carries, not yet verified.
	Value string
	// ResponseURL takes answers that only the user sees.
	ResponseURL string
}

// maxName bounds a name that comes from Slack, in characters.
const maxName = 80

// By names who pressed, in the words that are kept with the run.
func (p Press) By() string {
	if name := phrase.Clip(phrase.Clean(p.UserName), maxName); name != "" {
		return name + " (Slack " + p.UserID + ")"
	}
	return "Slack user " + p.UserID
}

// Parse reads the payload of an interaction, as both transports deliver it. Of several actions the first of swapgate's counts.
func Parse(payload []byte) (Press, error) {
	var in struct {
		Type string `json:"type"`
		User struct {
			ID       string `json:"id"`
			Username string `json:"username"`
			Name     string `json:"name"`
		} `json:"user"`
		ResponseURL string `json:"response_url"`
		Actions     []struct {
			ActionID string `json:"action_id"`
			Value    string `json:"value"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(payload, &in); err != nil || in.Type == "" {
		return Press{}, ErrMalformed // the error would quote the payload
	}
	if in.Type != "block_actions" {
		return Press{}, ErrNotOurs
	}
	if !isUserID(in.User.ID) {
		return Press{}, ErrMalformed
	}
	for _, a := range in.Actions {
		if strings.HasPrefix(a.ActionID, button.IDPrefix) {
			name := in.User.Username
			if name == "" {
				name = in.User.Name
			}
			return Press{UserID: in.User.ID, UserName: name, Value: a.Value, ResponseURL: in.ResponseURL}, nil
		}
	}
	return Press{}, ErrNotOurs
}

// isUserID reports whether s looks like an id of a user: U or W, and capital letters and digits.
func isUserID(s string) bool {
	if len(s) < 2 || len(s) > 41 || (s[0] != 'U' && s[0] != 'W') {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
