package traffic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/swapgate/swapgate/pkg/swap"
)

// maxReply bounds what is read of a reply.
const maxReply = 1 << 20

// adminAPI steers swapgate's own gateway through its admin API.
type adminAPI struct {
	base  string
	token string
	http  *http.Client
}

func (g *adminAPI) Read(ctx context.Context) (State, error) {
	data, err := g.call(ctx, http.MethodGet, "/admin/weights", nil, "")
	if err != nil {
		return State{}, fmt.Errorf("read weights: %w", err)
	}
	state, err := decodeState(data)
	if err != nil {
		return State{}, fmt.Errorf("read weights: %w: %s: %w", ErrRefused, g.base, err)
	}
	return state, nil
}

// decodeState reads the weights and insists that every field is there, so that the reply of another service cannot pass
// for weights.
func decodeState(data []byte) (State, error) {
	var reply struct {
		Baseline, Candidate *int
		Version             *int64
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return State{}, fmt.Errorf("the reply is not the JSON of an admin API: %w", err)
	}
	if reply.Baseline == nil || reply.Candidate == nil || reply.Version == nil {
		return State{}, errors.New("the reply lacks baseline, candidate or version")
	}
	weights := swap.Weights{Baseline: *reply.Baseline, Candidate: *reply.Candidate}
	if weights.Baseline < 0 || weights.Candidate < 0 || weights.Baseline+weights.Candidate != 100 {
		return State{}, fmt.Errorf("the reply's weights %d and %d are not percentages that sum to 100",
			weights.Baseline, weights.Candidate)
	}
	return State{Weights: weights, Version: *reply.Version}, nil
}

func (g *adminAPI) Apply(ctx context.Context, want swap.Weights) (State, error) {
	before, err := g.Read(ctx)
	if err != nil || before.Weights == want {
		return before, err
	}
	writeErr := g.write(ctx, want, before.Version)
	if errors.Is(writeErr, ErrRefused) {
		return before, writeErr
	}
	// A write whose reply was lost, or that lost a race, may still have left the weights as wanted: the read decides.
	after, err := g.Read(ctx)
	switch {
	case err != nil:
		return before, errors.Join(writeErr, err)
	case after.Weights == want:
		return after, nil
	case writeErr != nil:
		return after, writeErr
	}
	return after, fmt.Errorf("%w: wanted baseline %d / candidate %d, read %d / %d from %s",
		ErrNotApplied, want.Baseline, want.Candidate, after.Baseline, after.Candidate, g.base)
}

// write sets the weights if they are still those of version.
func (g *adminAPI) write(ctx context.Context, want swap.Weights, version int64) error {
	body, err := json.Marshal(want)
	if err != nil {
		return err
	}
	_, err = g.call(ctx, http.MethodPut, "/admin/weights", body, strconv.Quote(strconv.FormatInt(version, 10)))
	if err != nil {
		return fmt.Errorf("set weights to baseline %d / candidate %d: %w", want.Baseline, want.Candidate, err)
	}
	return nil
}

func (g *adminAPI) Counters(ctx context.Context) (swap.PerArm[Counters], bool, error) {
	data, err := g.call(ctx, http.MethodGet, "/admin/counters", nil, "")
	if err != nil {
		return swap.PerArm[Counters]{}, false, fmt.Errorf("read counters: %w", err)
	}
	counters, err := decodeCounters(data)
	if err != nil {
		return swap.PerArm[Counters]{}, false, fmt.Errorf("read counters: %w: %s: %w", ErrRefused, g.base, err)
	}
	return counters, true, nil
}

func decodeCounters(data []byte) (swap.PerArm[Counters], error) {
	type arm struct {
		Requests int64
		Errors   int64
		InFlight int64                         `json:"in_flight"`
		TTFB     struct{ P50, P95 swap.Value } `json:"ttfb_ms"`
	}
	var reply swap.PerArm[*arm]
	var out swap.PerArm[Counters]
	if err := json.Unmarshal(data, &reply); err != nil {
		return out, fmt.Errorf("the reply is not the JSON of an admin API: %w", err)
	}
	for _, a := range swap.Arms {
		c := reply.Get(a)
		if c == nil {
			return out, fmt.Errorf("the reply lacks the %s arm", a)
		}
		*out.Ptr(a) = Counters{
			Requests: c.Requests, Errors: c.Errors, InFlight: c.InFlight, TTFBP50ms: c.TTFB.P50, TTFBP95ms: c.TTFB.P95,
		}
	}
	return out, nil
}

// call makes one request and maps its failure to the errors of this package.
func (g *adminAPI) call(ctx context.Context, method, path string, body []byte, ifMatch string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, g.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if g.token != "" {
		req.Header.Set("Authorization", "Bearer "+g.token)
	}
	if ifMatch != "" {
		req.Header.Set("If-Match", ifMatch)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := g.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreachable, g.base, cause(err))
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnreachable, g.base, err)
	}
	if g.token != "" {
		// A reply may repeat what it was sent, and it is quoted in errors.
		data = bytes.ReplaceAll(data, []byte(g.token), []byte("[token]"))
	}
	return data, statusError(resp.StatusCode, g.base, data)
}

// cause drops the method and address that net/http puts before an error; they are said already.
func cause(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func statusError(status int, base string, data []byte) error {
	var reply struct{ Error string }
	if json.Unmarshal(data, &reply) != nil || reply.Error == "" {
		reply.Error = http.StatusText(status)
	}
	const maxMessage = 300
	message := reply.Error[:min(len(reply.Error), maxMessage)]
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		return fmt.Errorf("%w: %s: %s", ErrConflict, base, message)
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s answered %d: %s", ErrUnreachable, base, status, message)
	}
	return fmt.Errorf("%w: %s answered %d: %s", ErrRefused, base, status, message)
}
