package report

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// layerLines are sentences on which layer carries the difference of latency; none where that is not known.
func layerLines(a *swap.Attribution) []string {
	if a == nil {
		return nil
	}
	lines := []string{fmt.Sprintf("From the plan to the last token, %s matched requests in %s pairs of blocks differ by %s on average "+
		"(standard error %s).", phrase.Count(a.Requests), phrase.Count(a.Pairs), phrase.Quantity(a.DeltaMS, "ms"),
		phrase.Quantity(a.ErrorMS, "ms")), carrierWords(a)}
	for _, l := range a.Layers {
		lines = append(lines, fmt.Sprintf("%s: %s, %s of the difference.", layerName(l.Layer), phrase.Quantity(l.DeltaMS, "ms"),
			phrase.Quantity(l.Share, "fraction")))
	}
	if a.DiffTrace != "" {
		lines = append(lines, fmt.Sprintf("The older rule diff_trace, which takes the first of data, system and model that grew at all, "+
			"names: %s.", layerName(a.DiffTrace)))
	}
	return lines
}

func carrierWords(a *swap.Attribution) string {
	switch {
	case a.Layer == "":
		return "The difference is not clear of noise, so that no layer is named."
	case a.TieBroken:
		return fmt.Sprintf("%s is named, because another layer is less than 10 pp away and the order data, system, model decides ties; "+
			"it is the largest in %s of the resamples.", layerName(a.Layer), phrase.Quantity(a.Confidence, "fraction"))
	}
	return fmt.Sprintf("%s carries most of it, in %s of the resamples of the blocks.", layerName(a.Layer),
		phrase.Quantity(a.Confidence, "fraction"))
}

func layerName(l swap.Layer) string {
	switch l {
	case swap.LayerData:
		return "Data (length of the answers)"
	case swap.LayerSystem:
		return "System (client and queue)"
	case swap.LayerModel:
		return "Model (prefill and time for each token)"
	}
	return orNA(string(l))
}
