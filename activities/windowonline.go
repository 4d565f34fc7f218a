package activities

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/online"
	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// onlineStep is the stretch of a window that one value of a query is about.
	onlineStep = 30 * time.Second
	// onlineTimeout bounds one query, so that a slow Prometheus does not hold up the decision.
	onlineTimeout = 5 * time.Second
)

// askPrometheus reads the queries of the plan over a window. What it does not get is a problem of the reading, and no error: the window
// has been observed, and is judged by what there is.
func (a *Activities) askPrometheus(
	ctx context.Context, p *swap.Prometheus, w swap.Window,
) ([]swap.OnlineReading, []swap.PerArm[[]float64]) {
	if p == nil {
		return nil, nil
	}
	readings, series := make([]swap.OnlineReading, len(p.Queries)), make([]swap.PerArm[[]float64], len(p.Queries))
	token, err := secret.Resolve(p.Token)
	server := online.Server{URL: p.URL, Token: token.Reveal(), HTTP: a.HTTP}
	step := onlineStep
	if length := w.Ended.Sub(w.Started); length < step {
		step = max(length, time.Second)
	}
	span := online.Span{From: w.Started, To: w.Ended, Step: step}
	for i, q := range p.Queries {
		readings[i].Name = q.Name
		if err != nil {
			readings[i].Problem = err.Error()
			continue
		}
		series[i], readings[i] = ask(ctx, server, p, q, span)
	}
	return readings, series
}

func ask(
	ctx context.Context, s online.Server, p *swap.Prometheus, q swap.OnlineQuery, span online.Span,
) (swap.PerArm[[]float64], swap.OnlineReading) {
	var values swap.PerArm[[]float64]
	r := swap.OnlineReading{Name: q.Name}
	for _, arm := range swap.Arms {
		within, done := context.WithTimeout(ctx, onlineTimeout)
		got, err := s.Values(within, q, p.Arms.Get(arm), span)
		done()
		if err != nil {
			r.Problem = fmt.Sprintf("%s: %s", arm, err)
			return swap.PerArm[[]float64]{}, r
		}
		*values.Ptr(arm), *r.Arms.Ptr(arm) = got, rollout.OnlineMean(got)
	}
	for k := range values.Baseline {
		if !math.IsNaN(values.Baseline[k]) && !math.IsNaN(values.Candidate[k]) {
			r.Values++
		}
	}
	if points := span.Points(); r.Values < points {
		r.Problem = fmt.Sprintf("both arms have a value at %d of %d points", r.Values, points)
	}
	return values, r
}
