package online

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 4 << 20

// Server is a Prometheus server, or one that speaks its HTTP API.
type Server struct {
	URL, Token string
	HTTP       *http.Client
}

// Span is a stretch of time that is asked for in equal steps.
type Span struct {
	From, To time.Time
	Step     time.Duration
}

// Points is how many values there can be: one at the end of each step.
func (s Span) Points() int { return max(1, int(s.To.Sub(s.From)/s.Step)) }

// Values asks for one arm's values of a query at the end of each step (GET /api/v1/query_range). They are in the order of the steps; NaN
// stands for none. The error says what is wrong with the answer.
func (s Server) Values(ctx context.Context, q swap.OnlineQuery, matcher string, span Span) ([]float64, error) {
	first := span.To.Add(-time.Duration(span.Points()-1) * span.Step)
	form := url.Values{
		"query": {Expand(q.Query, matcher, span.Step)}, "start": {unix(first)}, "end": {unix(span.To)},
		"step": {strconv.FormatFloat(span.Step.Seconds(), 'f', -1, 64)},
	}
	body, err := s.get(ctx, "/api/v1/query_range?"+form.Encode())
	if err != nil {
		return nil, err
	}
	points, err := ParseRange(body)
	if err != nil {
		return nil, err
	}
	return place(points, first, span), nil
}

// Expand fills the placeholders $arm and $window.
func Expand(query, matcher string, window time.Duration) string {
	seconds := max(1, int(window.Seconds()))
	return strings.NewReplacer("$arm", matcher, "$window", strconv.Itoa(seconds)+"s").Replace(query)
}

func unix(t time.Time) string { return strconv.FormatFloat(float64(t.UnixMilli())/1e3, 'f', 3, 64) }

func (s Server) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(s.URL, "/")+path, nil)
	if err != nil {
		return nil, errors.New("the URL of Prometheus is not valid")
	}
	if s.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.Token)
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("Prometheus cannot be asked: %w", err) //nolint:staticcheck // a name
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer of Prometheus broke off: %w", err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer of Prometheus is longer than %d MiB", maxAnswer>>20)
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnprocessableEntity:
		return nil, fmt.Errorf("Prometheus answered with HTTP %d", resp.StatusCode) //nolint:staticcheck // a name
	}
	return body, nil
}
