package reporttest

import "github.com/swapgate/swapgate/pkg/swap"

// jitter is a baseline with too few outliers for clusters, and a candidate that is slow every 30 seconds.
func jitter() *swap.Jitter {
	slowest := []swap.RequestPlace{{Step: 3, Block: 14, Seq: 207, TTFTms: swap.Of(1840)}}
	return &swap.Jitter{Arms: swap.PerArm[swap.ArmJitter]{
		Baseline: swap.ArmJitter{
			Requests: 14200, Outliers: 9, OutlierShare: swap.Of(.00063), ShareLow: swap.Of(.0003), ShareHigh: swap.Of(.0013),
			Labels: []swap.JitterLabel{
				{
					Kind: swap.JitterColdStart, Count: 6, Share: swap.Of(.667),
					Rate: swap.Of(.00042), RateLow: swap.Of(.0002), RateHigh: swap.Of(.0009),
				},
				{
					Kind: swap.JitterGlitch, Count: 3, Share: swap.Of(.333),
					Rate: swap.Of(.00021), RateLow: swap.Of(.00007), RateHigh: swap.Of(.0006),
				},
			},
			ClustersMessage: "9 outliers are insufficient for clusters",
		},
		Candidate: swap.ArmJitter{
			Requests: 14188, Outliers: 71, OutlierShare: swap.Of(.005), ShareLow: swap.Of(.0036), ShareHigh: swap.Of(.007),
			Labels: []swap.JitterLabel{
				{
					Kind: swap.JitterPeriodic, Count: 62, Share: swap.Of(.873), PeriodSeconds: swap.Of(30), Examples: slowest,
					Rate: swap.Of(.0044), RateLow: swap.Of(.0031), RateHigh: swap.Of(.0062),
				},
				{
					Kind: swap.JitterUnexplained, Count: 9, Share: swap.Of(.127),
					Rate: swap.Of(.00063), RateLow: swap.Of(.0003), RateHigh: swap.Of(.0013),
				},
			},
			Axes: []swap.JitterAxis{swap.AxisTTFT, swap.AxisGap, swap.AxisTPOT, swap.AxisE2E, swap.AxisPromptTokens, swap.AxisTimeInStep},
			Clusters: []swap.JitterCluster{{
				Count: 60, TTFTms: swap.Of(1500), GapSeconds: swap.Of(.4), TPOTms: swap.Of(21), E2Ems: swap.Of(4600), PromptTokens: swap.Of(512),
				StepSeconds: swap.Of(140), Examples: slowest,
			}},
			ClustersMessage: "1 cluster in 71 outliers",
		},
	}}
}
