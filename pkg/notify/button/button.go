// Package button is what a button of a Slack message carries: what it asks of which run, signed, so that no other app and no
// person can make a button that addresses another run.
package button

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Action is what a button asks for. Each is the name of an update of a run.
type Action string

// The actions.
const (
	Approve  Action = swap.UpdateApprove
	Extend   Action = swap.UpdateExtend
	Rollback Action = swap.UpdateRollback
)

// Actions lists the actions in the order in which buttons stand.
var Actions = [...]Action{Approve, Extend, Rollback}

// IDPrefix begins the action id of every button of swapgate.
const IDPrefix = "swapgate/"

// ID is the button's action id: it tells the buttons of one message apart.
func (a Action) ID() string { return IDPrefix + string(a) }

// Value is what a button means.
type Value struct {
	Action     Action `json:"a"`
	WorkflowID string `json:"w"`
	RunID      string `json:"r"`
	// Weight is the weight that is approved, in percent; 0 for other actions.
	Weight int `json:"p,omitempty"`
	// Seq is the state of the message that the button belongs to (swap.RunNews.Seq).
	Seq int `json:"n"`
}

// UpdateID is the id of the update that the button asks for. It is the same however often and by whomever the button is pressed,
// so that Temporal does it once; the same button in a later state of the message has another one.
func (v Value) UpdateID() string { return fmt.Sprintf("slack-%s-%d", v.Action, v.Seq) }

// Errors of a value.
var (
	// ErrMalformed says that a value is none that this version writes.
	ErrMalformed = errors.New("the button is none of swapgate's, or of another version")
	// ErrForged says that the signature does not belong to the value.
	ErrForged = errors.New("the button's signature does not hold; it is forged, or older than the bot's token")
)

// Key signs and verifies values.
type Key struct{ secret []byte }

// NewKey derives the key from the bot's token, which both the worker that posts and the one that hears have.
func NewKey(token string) Key {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("swapgate button key v1"))
	return Key{secret: mac.Sum(nil)}
}

// Format hides the key from fmt.
func (Key) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte("[button key]")) }

const version = "v1"

// maxValue is Slack's limit for the value of a button, in characters.
const maxValue = 2000

var encoding = base64.RawURLEncoding

// Sign is the value as a button carries it.
func (k Key) Sign(v Value) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("cannot write the value of the button %s: %w", v.Action, err)
	}
	body := version + "." + encoding.EncodeToString(data)
	signed := body + "." + encoding.EncodeToString(k.mac(body))
	if len(signed) > maxValue {
		return "", fmt.Errorf("the value of the button %s has %d characters, more than Slack's %d", v.Action, len(signed), maxValue)
	}
	return signed, nil
}

// Verify reads a signed value; it fails with ErrMalformed or ErrForged.
func (k Key) Verify(signed string) (Value, error) {
	v, body, mac, err := parse(signed)
	if err != nil {
		return Value{}, err
	}
	if !hmac.Equal(mac, k.mac(body)) {
		return Value{}, ErrForged
	}
	return v, nil
}

// Unverified reads a value without looking at its signature: it tells which run's key to ask.
func Unverified(signed string) (Value, error) {
	v, _, _, err := parse(signed)
	return v, err
}

func (k Key) mac(body string) []byte {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte(body))
	return mac.Sum(nil)
}

func parse(signed string) (v Value, body string, mac []byte, err error) {
	parts := strings.Split(signed, ".")
	if len(signed) > maxValue || len(parts) != 3 || parts[0] != version {
		return Value{}, "", nil, ErrMalformed
	}
	data, err := encoding.DecodeString(parts[1])
	if err != nil {
		return Value{}, "", nil, ErrMalformed
	}
	if mac, err = encoding.DecodeString(parts[2]); err != nil {
		return Value{}, "", nil, ErrMalformed
	}
	if err := json.Unmarshal(data, &v); err != nil || !v.valid() {
		return Value{}, "", nil, ErrMalformed
	}
	return v, parts[0] + "." + parts[1], mac, nil
}

// valid reports whether a value is one that swapgate would write.
func (v Value) valid() bool {
	known := v.Action == Approve || v.Action == Extend || v.Action == Rollback
	return known && v.RunID != "" && v.Seq > 0 && v.Weight >= 0 && v.Weight <= 100 && isValidation(v.WorkflowID)
}

// isValidation reports whether a workflow id is that of a validation: a button can address nothing else.
func isValidation(workflowID string) bool {
	target, found := strings.CutPrefix(workflowID, swap.ValidateWorkflowID(""))
	return found && target != ""
}
