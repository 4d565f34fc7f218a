package demo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSpecificationOfTheDemoIsValidAndFitsItsTime(t *testing.T) {
	key := swap.SecretRef{File: "/keys/one"}
	file, err := Spec{
		Target: "good", Seed: 7, Prefix: "demo/", TemporalUI: "http://127.0.0.1:3",
		Store: swap.Store{Endpoint: "http://127.0.0.1:1", Bucket: "swapgate", AccessKey: &key, SecretKey: &key},
		Models: &local.Models{
			Engines: swap.PerArm[swap.Endpoint]{
				Baseline: swap.Endpoint{URL: "http://127.0.0.1:11", Model: "a"}, Candidate: swap.Endpoint{URL: "http://127.0.0.1:12", Model: "b"},
			},
			Route: swap.Route{Kind: swap.RouteSwapgate, URL: "http://127.0.0.1:13", AdminURL: "http://127.0.0.1:14"},
		},
	}.Write(t.TempDir())
	require.NoError(t, err)
	spec, err := config.Load(file, func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	require.Equal(t, uint64(7), spec.Workload.Seed)
	require.Equal(t, uint64(7), spec.Judge.Seed)
	require.Equal(t, "http://127.0.0.1:14", spec.Rollout.Route.AdminURL)

	// Two validations must take under four minutes with everything around them.
	estimate := config.Estimate(spec)
	require.Less(t, estimate.Load.Seconds()+estimate.Rollout.Seconds(), 100.0)
	requests, ok := estimate.RequestsPerArm.Get()
	require.True(t, ok)
	require.GreaterOrEqual(t, requests*0.01, float64(spec.Judge.MinTail), "enough requests for P99")
}
