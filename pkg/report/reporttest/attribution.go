package reporttest

import "github.com/swapgate/swapgate/pkg/swap"

// attribution is a candidate that is slower because of its queue and decodes a little faster.
func attribution() *swap.Attribution {
	return &swap.Attribution{
		Requests: 13980, Pairs: 30, DeltaMS: swap.Of(41.5), ErrorMS: swap.Of(4.2),
		Layers: []swap.LayerShare{
			{Layer: swap.LayerData, DeltaMS: swap.Of(4.1), Share: swap.Of(.099)},
			{Layer: swap.LayerSystem, DeltaMS: swap.Of(52.8), Share: swap.Of(1.272)},
			{Layer: swap.LayerModel, DeltaMS: swap.Of(-15.4), Share: swap.Of(-.371)},
		},
		Layer: swap.LayerSystem, Confidence: swap.Of(.996), DiffTrace: swap.LayerData,
	}
}
