package reporttest

import "github.com/swapgate/swapgate/pkg/swap"

// jitter is a baseline with too few outliers for clusters, and a candidate that is slow every 30 seconds.
func jitter() *swap.Jitter {
	slowest := []swap.RequestPlace{{Step: 3, Block: 14, Seq: 207, TTFTms: swap.Of(1840)}}
	return &swap.Jitter{Arms: swap.PerArm[swap.ArmJitter]{
		Baseline: swap.ArmJitter{
			Requests: 14200, Outliers: 9, OutlierShare: swap.Of(.00063), ShareLow: swap.Of(.0003), ShareHigh: swap.Of(.0013),
			Labels: []swap.JitterLabel{
				{Kind: swap.JitterColdStart, Count: 6, Share: swap.Of(.667)}, {Kind: swap.JitterGlitch, Count: 3, Share: swap.Of(.333)},
			},
			ClustersMessage: "9 outliers are insufficient for clusters",
		},
		Candidate: swap.ArmJitter{
			Requests: 14188, Outliers: 71, OutlierShare: swap.Of(.005), ShareLow: swap.Of(.0036), ShareHigh: swap.Of(.007),
			Labels: []swap.JitterLabel{
				{Kind: swap.JitterPeriodic, Count: 62, Share: swap.Of(.873), PeriodSeconds: swap.Of(30), Examples: slowest},
				{Kind: swap.JitterUnexplained, Count: 9, Share: swap.Of(.127)},
			},
			Clusters:        []swap.JitterCluster{{Count: 60, TTFTms: swap.Of(1500), GapSeconds: swap.Of(.4), Examples: slowest}},
			ClustersMessage: "1 cluster in 71 outliers",
		},
	}}
}
