package recorded

import (
	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// blocksPerRun is how many blocks the requests of a run are cut into. With 10 to 30 batches the spread of batch means is known
// well enough and batches stay as long as can be, so that they depend little on each other (Schmeiser, Operations Research 1982).
const blocksPerRun = 20

// fewestInStage is the fewest blocks of a stage: the spread within a stage needs two.
const fewestInStage = 2

// fewestInBlock is the fewest requests of a block: those of one alone would count as independent of their neighbours.
const fewestInBlock = 5

// blocksIn is how many blocks each of so many stages is cut into, where the smaller arm has so many requests.
func blocksIn(level Level, stages, requests, minBlocks int) int {
	want := max(blocksPerRun, minBlocks)
	each := max(fewestInStage, (want+stages-1)/stages)
	if rounds := fewestRounds * level.round(); requests >= rounds {
		each = min(each, requests/rounds)
	}
	return max(1, min(each, requests/fewestInBlock))
}

// fewestRounds is the fewest rounds of a closed loop in a block: as many requests as are in flight make a round.
const fewestRounds = 2

// sizes are how many requests each of k blocks holds: equal numbers, and the rest in the last blocks, so that no size comes back
// every other block. Requests of a closed loop come in rounds, all first ones together; a block holds whole rounds, for part of one would
// make every other block begin with another part of it.
func (s *Stage) sizes(k int) []int {
	n, unit := len(s.Requests), 1
	if round := s.Level.round(); n >= fewestRounds*round*k {
		unit = round
	}
	units := n / unit
	sizes := make([]int, k)
	for b := range sizes {
		sizes[b] = units / k * unit
		if b >= k-units%k {
			sizes[b] += unit
		}
	}
	sizes[k-1] += n % unit
	return sizes
}

// round is how many requests a closed loop sends at a time; 1 where that is not known.
func (l Level) round() int {
	if l.Rate > 0 {
		return 1
	}
	return max(1, l.Concurrency)
}

// cut makes k blocks of a stage's requests, which are consecutive. The time of a block is from its first send to that of
// the next block, and of the last one to the end of the stage, so that they add up to the stage. A stage without times has none.
func (s *Stage) cut(k int) []judge.Block {
	sizes := s.sizes(k)
	blocks := make([]judge.Block, len(sizes))
	n, to := len(s.Requests), 0
	_, end, timed := s.span()
	for b := range blocks {
		from := to
		to += sizes[b]
		blocks[b] = blockOf(s.Requests[from:to])
		if !timed {
			continue
		}
		until := end
		if to < n {
			until = s.Requests[to].Start.Or(0)
		}
		blocks[b].MeasuredSeconds = until - s.Requests[from].Start.Or(0)
	}
	return blocks
}

func blockOf(requests []Request) judge.Block {
	b := judge.Block{Planned: len(requests), Recorded: len(requests), Outcomes: swap.OutcomeCounts{}}
	for i := range requests {
		record := requests[i].record()
		b.Outcomes[requests[i].Outcome]++
		b.Requests.Append(&record)
	}
	b.Requests.Unplanned()
	return b
}

// pairStage gives the blocks of both arms of one level, paired in their order. Blocks that one arm has and the other lacks are left
// out; left says how many.
func pairStage(step int, arms swap.PerArm[*Stage], k int) (paired []judge.Block, left int) {
	var blocks swap.PerArm[[]judge.Block]
	for _, arm := range swap.Arms {
		s := arms.Get(arm)
		if *blocks.Ptr(arm) = s.Blocks; len(s.Blocks) == 0 {
			*blocks.Ptr(arm) = s.cut(k)
		}
	}
	pairs := min(len(blocks.Baseline), len(blocks.Candidate))
	for i := range pairs {
		for _, arm := range swap.Arms {
			b := blocks.Get(arm)[i]
			b.Step, b.Pair, b.Arm, b.ScheduleSHA256 = step, i+1, arm, ""
			b.Block = 2*i + 1
			if arm == swap.Candidate {
				b.Block++
			}
			paired = append(paired, b)
		}
	}
	return paired, len(blocks.Baseline) + len(blocks.Candidate) - 2*pairs
}
