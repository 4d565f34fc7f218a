// Package webhook steers a gateway through a service of the user's own, which answers GET with the weights and takes new ones by
// POST at the same address. docs/gateways.md describes what the service must do.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// The headers of a call. The signature is the hexadecimal HMAC-SHA256 of timestamp, method and body, joined by full stops; the
// timestamp is in seconds of Unix time, so that an old call cannot be made again.
const (
	SignatureHeader = "X-Swapgate-Signature"
	TimestampHeader = "X-Swapgate-Timestamp"
)

// Hook steers through one address.
type Hook struct {
	api    *httpapi.Client
	target string
	key    string
	now    func() time.Time
}

// New returns the controller of the service at an API's base address. key signs every call; empty signs none.
func New(api *httpapi.Client, target, key string, now func() time.Time) *Hook {
	return &Hook{api: api, target: target, key: key, now: now}
}

// Capabilities says that nothing is known of what is behind the service.
func (*Hook) Capabilities() traffic.Capabilities { return traffic.Capabilities{} }

// Counters says that the service counts nothing.
func (*Hook) Counters(context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	return swap.PerArm[traffic.Counters]{}, false, nil
}

// Read asks for the weights.
func (h *Hook) Read(ctx context.Context) (traffic.State, error) {
	path := ""
	if h.target != "" {
		path = "?" + url.Values{"target": {h.target}}.Encode()
	}
	data, err := h.call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w", err)
	}
	state, err := Decode(data)
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w: %s: %w", traffic.ErrRefused, h.api.Base, err)
	}
	return state, nil
}

// change is the body of a POST. The version is the one that was read: a service that has a newer one answers 409.
type change struct {
	Target string `json:"target,omitempty"`
	swap.Weights
	Version string `json:"version,omitempty"`
}

// Apply posts the weights with the version that was read, and lets a read decide.
func (h *Hook) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	return traffic.Apply(ctx, h.api.Base, want, h.Read, func(ctx context.Context, before traffic.State) error {
		body, err := json.Marshal(change{Target: h.target, Weights: want, Version: before.Version})
		if err != nil {
			return err
		}
		_, err = h.call(ctx, http.MethodPost, "", body)
		return err
	})
}

func (h *Hook) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	header := http.Header{}
	if h.key != "" {
		at := strconv.FormatInt(h.now().Unix(), 10)
		header.Set(TimestampHeader, at)
		header.Set(SignatureHeader, sign(h.key, at, method, body))
	}
	return h.api.Do(ctx, httpapi.Request{Method: method, Path: path, Body: body, Header: header})
}

func sign(key, at, method string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", at, method, body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Decode reads weights in JSON: {"baseline": 95, "candidate": 5, "version": "7", "pending": "…"}. Both weights must be there; the
// others need not be.
func Decode(data []byte) (traffic.State, error) {
	var reply struct {
		Baseline, Candidate *int
		Version, Pending    string
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return traffic.State{}, errors.New(`the reply is not {"baseline": …, "candidate": …} in JSON`)
	}
	if reply.Baseline == nil || reply.Candidate == nil {
		return traffic.State{}, errors.New("the reply lacks baseline or candidate")
	}
	weights := swap.Weights{Baseline: *reply.Baseline, Candidate: *reply.Candidate}
	if weights.Baseline < 0 || weights.Candidate < 0 || weights.Baseline+weights.Candidate != 100 {
		return traffic.State{}, fmt.Errorf("the weights %d and %d are not percentages that sum to 100", weights.Baseline, weights.Candidate)
	}
	return traffic.State{Weights: weights, Version: reply.Version, Pending: reply.Pending}, nil
}
