package notify_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestPlanFor(t *testing.T) {
	all := swap.Can{Approve: true, Extend: true, Rollback: true}
	asked := swap.Deed{N: 1, Answer: "One more window granted."}
	charted := swap.Verdict{Verdict: swap.Pass, Artifacts: swap.Artifacts{Chart: &swap.ObjectRef{}}}
	for name, c := range map[string]struct {
		news    swap.RunNews
		verdict swap.Verdict
		silent  bool // nobody may press buttons
		want    notify.Plan
	}{
		"started": {
			news: swap.RunNews{Seq: 1, Stage: swap.StagePreflight, Can: swap.Can{Rollback: true}},
			want: notify.Plan{},
		},
		"load": {
			news: swap.RunNews{Seq: 2, Stage: swap.StageLoad, Can: swap.Can{Rollback: true}},
			want: notify.Plan{},
		},
		"rollout": {
			news: swap.RunNews{Seq: 3, Stage: swap.StageRollout, Can: swap.Can{Extend: true, Rollback: true}},
			want: notify.Plan{Buttons: []button.Action{button.Extend, button.Rollback}},
		},
		"approval": {
			news: swap.RunNews{Seq: 4, Stage: swap.StageRollout, Approve: 20, Asked: 1, Can: all},
			want: notify.Plan{
				Buttons: []button.Action{button.Approve, button.Extend, button.Rollback}, Posts: []notify.Post{notify.PostApproval},
			},
		},
		"approval, but nobody may press": {
			news: swap.RunNews{Seq: 4, Stage: swap.StageRollout, Approve: 20, Asked: 1, Can: all}, silent: true,
			want: notify.Plan{Posts: []notify.Post{notify.PostApproval}},
		},
		"approved: the button is gone, and who it was is said": {
			news: swap.RunNews{
				Seq: 5, Stage: swap.StageRollout, Asked: 1, Can: swap.Can{Extend: true, Rollback: true}, Deeds: []swap.Deed{asked},
			},
			want: notify.Plan{Buttons: []button.Action{button.Extend, button.Rollback}, Posts: []notify.Post{notify.PostDeeds}},
		},
		"a stop is asked for: nothing more can be": {
			news: swap.RunNews{Seq: 6, Stage: swap.StageRollout, Deeds: []swap.Deed{asked}},
			want: notify.Plan{Posts: []notify.Post{notify.PostDeeds}},
		},
		"the guard fired": {
			news: swap.RunNews{Seq: 7, Stage: swap.StageRollback, RolledBack: true},
			want: notify.Plan{Posts: []notify.Post{notify.PostRollback}},
		},
		"nothing had been moved": {
			news: swap.RunNews{Seq: 7, Stage: swap.StageRollback},
			want: notify.Plan{},
		},
		"verdict": {
			news: swap.RunNews{Seq: 8, Stage: swap.StageDone, Over: true, Can: all}, verdict: swap.Verdict{Verdict: swap.Pass},
			want: notify.Plan{Posts: []notify.Post{notify.PostVerdict}},
		},
		"verdict with a chart, after a rollback": {
			news: swap.RunNews{Seq: 8, Stage: swap.StageDone, Over: true, RolledBack: true}, verdict: charted,
			want: notify.Plan{Posts: []notify.Post{notify.PostVerdict}, Chart: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, notify.PlanFor(c.news, c.verdict, !c.silent))
		})
	}
}

func TestNoButtonThatTheRunWouldRefuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		news := swap.RunNews{
			Stage: rapid.SampledFrom(append(swap.Stages[:], swap.StageRollback, swap.StageDone)).Draw(t, "stage"),
			Can: swap.Can{
				Approve: rapid.Bool().Draw(t, "approve"), Extend: rapid.Bool().Draw(t, "extend"), Rollback: rapid.Bool().Draw(t, "rollback"),
			},
			RolledBack: rapid.Bool().Draw(t, "rolled back"), Over: rapid.Bool().Draw(t, "over"),
		}
		for _, b := range notify.PlanFor(news, swap.Verdict{}, true).Buttons {
			require.True(t, map[button.Action]bool{
				button.Approve: news.Can.Approve, button.Extend: news.Can.Extend, button.Rollback: news.Can.Rollback,
			}[b])
			require.False(t, news.Over)
		}
		require.Empty(t, notify.PlanFor(news, swap.Verdict{}, false).Buttons)
	})
}
