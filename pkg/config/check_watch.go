package config

import "github.com/swapgate/swapgate/pkg/swap"

func checkWatch(r *reporter, w swap.Watch) {
	notify, fail, block := at("watch", "notify"), at("watch", "fail"), at("watch", "block")
	// The higher limit first: a limit that is reported is not held against others any more.
	if w.Block < w.Fail {
		r.valueUsing(block, []path{fail}, "must be at least fail (%v), got %v", w.Fail, w.Block)
	}
	if w.Fail < w.Notify {
		r.valueUsing(fail, []path{notify}, "must be at least notify (%v), got %v", w.Notify, w.Fail)
	}
}
