package config

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// unreachable says why a step certainly cannot send what it plans when it plans it, or nearly nothing; empty where that is not
// certain. What depends on the servers' latency is not.
func unreachable(s swap.Step, spec swap.Spec) []string {
	var out []string
	if text := overTokenRate(s, spec); text != "" {
		out = append(out, text)
	}
	if text := underOnePerBlock(s, spec); text != "" {
		out = append(out, text)
	}
	t := spec.Workload.Topology
	if t != nil && t.Shape == swap.ShapeStar && 0 < s.MaxInFlight && s.MaxInFlight < t.Size {
		out = append(out, fmt.Sprintf("max_in_flight %d is below the %d requests that a star sends at once: every star waits in the "+
			"client's queue", s.MaxInFlight, t.Size))
	}
	return out
}

// overTokenRate compares the tokens that a block plans with what token_rate lets go in its time, burst included. Later requests
// of sessions and rings are left out, as they depend on answers.
func overTokenRate(s swap.Step, spec swap.Spec) string {
	if s.TokenRate == nil || s.Rate <= 0 {
		return ""
	}
	l := spec.Load
	length := l.Settle + l.Block
	requests := arrivals(s, l)
	if t := spec.Workload.Topology; t != nil && t.Shape == swap.ShapeStar {
		requests *= float64(t.Size)
	}
	each := leastTokens(s, spec.Workload)
	planned, passed := requests*each, tokensPassed(*s.TokenRate, length)
	if planned <= passed {
		return ""
	}
	return fmt.Sprintf("plans at least about %.0f tok/s (%s req/s of about %.0f tokens), and token_rate lets %s pass: requests wait in "+
		"the client's queue, longer and longer", planned/length.Seconds(), decimal(requests/length.Seconds()), each, decimal(s.TokenRate.Limit))
}

// underOnePerBlock tells of a step that measures less than one request in a block on average, however fast the servers answer.
func underOnePerBlock(s swap.Step, spec swap.Spec) string {
	most, bounded := armRequests(s, spec).Most.Get()
	perBlock := most / float64(max(1, spec.Load.BlocksPerArm(s)))
	if !bounded || perBlock >= 1 {
		return ""
	}
	if s.Rate == 0 && s.TokenRate != nil {
		each := leastTokens(s, spec.Workload)
		return fmt.Sprintf("measures at most about %.2g requests per block: at the %s tok/s of token_rate, a request of about %.0f tokens "+
			"waits for %.0f s", perBlock, decimal(s.TokenRate.Limit), each, each/s.TokenRate.Limit)
	}
	return fmt.Sprintf("measures about %.2g requests per block, so that many blocks have none", perBlock)
}

// leastTokens is the mean length of a request, prompt and answer together, as far as it is known: the lengths of files count as
// the shortest that there can be.
func leastTokens(s swap.Step, w swap.Workload) float64 {
	if s.Arrival != nil && s.Arrival.Trace != nil && s.Arrival.Trace.Lengths {
		return 2
	}
	w = workload.WithStep(w, s)
	return meanLength(w.InputTokens) + meanLength(w.OutputTokens)
}

// meanLength is the mean of a clipped log-normal length, at least 1: a request whose answer is one token holds on average its
// prompt and half a token.
func meanLength(l swap.Lengths) float64 {
	if l.Median < 1 {
		return 1
	}
	one := swap.Lengths{Median: 1, Max: 1}
	return pace.ResidentTokens(l, one, nil) - 0.5
}
