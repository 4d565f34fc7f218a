package report

import (
	"time"

	"github.com/swapgate/swapgate/pkg/report/chart"
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

type warmUpSection struct {
	Figure  figure
	Rows    []warmUpRow
	Missing string
}

type warmUpRow struct {
	Arm, Requests, Failed, Cold, Hot, Ratio, Settled, Took string
	Stable                                                 bool
}

func newWarmUpSection(v swap.Verdict, ids *figureIDs) warmUpSection {
	if v.WarmUp == nil {
		return warmUpSection{Missing: unmeasured(v, "warm-up was finished")}
	}
	var s warmUpSection
	var arms swap.PerArm[[]swap.Value]
	for _, arm := range swap.Arms {
		w := v.WarmUp.Get(arm)
		*arms.Ptr(arm) = []swap.Value{w.ColdTTFTms, w.HotTTFTms}
		s.Rows = append(s.Rows, newWarmUpRow(arm, w))
	}
	s.Figure = ids.figure("TTFT in ms, first request and once warm", chart.Levels("TTFT cold and hot",
		"Time to first token of the first request and its median once warm, for both arms. The table has the numbers.",
		columnSize, []string{"first request", "once warm"}, arms))
	return s
}

func newWarmUpRow(arm swap.Arm, w swap.WarmUpResult) warmUpRow {
	row := warmUpRow{
		Arm: string(arm), Requests: phrase.Count(w.Requests), Failed: phrase.Count(w.Outcomes.Failed()),
		Cold: phrase.Quantity(w.ColdTTFTms, "ms"), Hot: phrase.Quantity(w.HotTTFTms, "ms"), Ratio: phrase.NA,
		Took: phrase.Duration(time.Duration(w.TookMS) * time.Millisecond), Stable: w.Stable, Settled: phrase.Clean(w.Ended),
	}
	cold, hasCold := w.ColdTTFTms.Get()
	hot, hasHot := w.HotTTFTms.Get()
	if hasCold && hasHot && hot > 0 {
		row.Ratio = phrase.Quantity(swap.Of(cold/hot), "×")
	}
	return row
}
