package phrase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

func ended(step int, end swap.StepEnd, faults ...string) swap.StepResult {
	s := swap.StepResult{Step: step, Label: "concurrency 8", Ended: end}
	for _, f := range faults {
		s.Instrument.Faults = append(s.Instrument.Faults, swap.InstrumentFault{Signal: f})
	}
	return s
}

func TestNothingIsSaidOfALoadThatWentAsPlanned(t *testing.T) {
	require.Empty(t, phrase.LoadNotes(swap.Verdict{}))
	require.Empty(t, phrase.LoadNotes(swap.Verdict{
		Steps:    []swap.StepResult{ended(1, swap.StepEnd{Code: swap.EndedPlanned}), ended(2, swap.StepEnd{})},
		Capacity: []swap.Capacity{{Steps: []int{1, 2}}},
	}))
}

func TestLoadNotes(t *testing.T) {
	limit := swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate, Message: "the candidate's error rate was 9 %; the limit is 2 %"}
	knee := &swap.LoadLevel{Label: "concurrency 16", Throughput: swap.Of(480), TTFTP95ms: swap.Of(312)}
	for _, c := range []struct {
		name string
		v    swap.Verdict
		want []phrase.Note
	}{
		{
			"faults of one step",
			swap.Verdict{Steps: []swap.StepResult{ended(2, swap.StepEnd{}, "during.lag_p99_ms", "calibration.requests")}},
			[]phrase.Note{{"Load client", "cannot be believed in step 2: lag P99, an error that is not known in calibration"}},
		},
		{
			"faults of several",
			swap.Verdict{Steps: []swap.StepResult{
				ended(1, swap.StepEnd{}, "during.cpu_share"), ended(2, swap.StepEnd{}, "during.cpu_share", "calibration", "new_signal"),
			}},
			[]phrase.Note{{"Load client", "cannot be believed in steps 1, 2: CPU share, calibration, new_signal"}},
		},
		{
			"inconclusive by the raw records",
			swap.Verdict{Reasons: []swap.Reason{{Code: swap.ReasonInstrument}}},
			[]phrase.Note{{"Load client", "cannot be believed, by the raw records of its requests"}},
		},
		{
			"ends",
			swap.Verdict{Steps: []swap.StepResult{
				ended(1, swap.StepEnd{Code: swap.EndedSteady, Message: "the tail is steady after 8 blocks"}),
				ended(2, swap.StepEnd{Code: swap.EndedMaxHold}), ended(3, limit),
			}},
			[]phrase.Note{
				{"Step 1 (concurrency 8)", "the tail is steady after 8 blocks"},
				{"Step 2 (concurrency 8)", "held to its longest, not steady"},
				{"Step 3 (concurrency 8)", "stopped at a limit: the candidate's error rate was 9 %; the limit is 2 %"},
			},
		},
		{
			"a step that is a reason is not told again",
			swap.Verdict{
				Steps:   []swap.StepResult{ended(3, limit)},
				Reasons: []swap.Reason{{Subject: "step 3 (concurrency 8)", Message: "was stopped"}},
			},
			nil,
		},
		{
			"a knee of one arm",
			swap.Verdict{Capacity: []swap.Capacity{
				{Arms: swap.PerArm[swap.ArmCapacity]{Candidate: swap.ArmCapacity{Knee: knee}}},
			}},
			[]phrase.Note{{"Knee", "baseline none found, candidate at concurrency 16 (480 tok/s, TTFT P95 312 ms)"}},
		},
		{
			"knees of both",
			swap.Verdict{Capacity: []swap.Capacity{
				{Arms: swap.PerArm[swap.ArmCapacity]{
					Baseline: swap.ArmCapacity{Knee: &swap.LoadLevel{Label: "4 req/s"}}, Candidate: swap.ArmCapacity{Knee: knee},
				}},
			}},
			[]phrase.Note{{"Knee", "baseline at 4 req/s, candidate at concurrency 16 (480 tok/s, TTFT P95 312 ms)"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, phrase.LoadNotes(c.v)) })
	}
}

func TestEndsInWords(t *testing.T) {
	for code, want := range map[swap.EndCode]string{
		swap.EndedPlanned: "as planned", swap.EndedSteady: "held until steady", swap.EndedMaxHold: "held to its longest, not steady",
		swap.EndedLimit: "stopped at a limit", "": "n/a", "new\x1b[31m": "new",
	} {
		require.Equal(t, want, phrase.Ended(code))
	}
}
