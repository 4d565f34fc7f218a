package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// endRow says how one step ended.
type endRow struct {
	Step, Label, Blocks string
	Ended, Why          string
	// Tone is the look of the end: pass or inconclusive, empty where it is not told.
	Tone string
}

func endRows(steps []swap.StepResult) []endRow {
	var rows []endRow
	for i := range steps {
		s := &steps[i]
		rows = append(rows, endRow{
			Step: strconv.Itoa(s.Step), Label: phrase.Clean(s.Label), Blocks: phrase.Count(s.Blocks),
			Ended: phrase.Ended(s.Ended.Code), Why: endedWhy(s.Ended), Tone: endTone(s.Ended.Code),
		})
	}
	return rows
}

func endTone(code swap.EndCode) string {
	switch code {
	case swap.EndedPlanned, swap.EndedSteady:
		return "pass"
	case swap.EndedMaxHold, swap.EndedLimit:
		return "inconclusive"
	}
	return ""
}

func endedWhy(end swap.StepEnd) string {
	switch message := phrase.Clean(end.Message); {
	case message != "":
		return sentence(message)
	case end.Code == swap.EndedPlanned:
		return "The planned blocks were driven."
	}
	return phrase.NA
}

// capacityPart shows knee and saturation of each arm on each curve.
type capacityPart struct {
	Curves  []curve
	Missing string
}

type curve struct {
	// Name tells the curves of a load apart; empty where there is one.
	Name  string
	Lines []capacityLine
}

type capacityLine struct{ Arm, Line, Detail string }

func newCapacityPart(v swap.Verdict) capacityPart {
	switch {
	case len(v.Steps) == 0:
		return capacityPart{}
	case len(v.Capacity) == 0 && len(v.Gates) == 0:
		return capacityPart{Missing: unmeasured(v, "knee or saturation was looked for")}
	case len(v.Capacity) == 0:
		return capacityPart{Missing: "n/a: knee and saturation need load steps that differ in their level only, and there are no two."}
	}
	var part capacityPart
	for _, c := range v.Capacity {
		shown := curve{}
		if len(v.Capacity) > 1 {
			shown.Name = curveName(c.Steps)
		}
		for _, arm := range swap.Arms {
			shown.Lines = append(shown.Lines, newCapacityLine(arm, c.Arms.Get(arm)))
		}
		part.Curves = append(part.Curves, shown)
	}
	return part
}

func curveName(steps []int) string {
	numbers := make([]string, len(steps))
	for i, s := range steps {
		numbers[i] = strconv.Itoa(s)
	}
	if len(numbers) == 0 {
		return ""
	}
	return "Steps " + inWords(numbers)
}

func newCapacityLine(arm swap.Arm, c swap.ArmCapacity) capacityLine {
	knee, saturation := "No knee found", "no saturation found"
	if c.Knee != nil {
		knee = "Knee at " + phrase.LoadLevel(*c.Knee)
	}
	if c.Saturation != nil {
		saturation = "saturated at " + phrase.Clean(c.Saturation.Label)
	}
	line := knee + "; " + saturation
	if c.Peak != nil {
		line += fmt.Sprintf("; most throughput %s at %s", phrase.Quantity(c.Peak.Throughput, "tok/s"), phrase.Clean(c.Peak.Label))
	}
	details := []string{sentence(c.KneeMessage)}
	if c.Bend != nil {
		details = append(details, sentence(c.Bend.Message))
	}
	details = append(details, sentence(c.SaturationMessage))
	return capacityLine{Arm: string(arm), Line: line, Detail: strings.TrimSpace(strings.Join(details, " "))}
}

// sentence makes a clause one: a capital at its beginning and a full stop at its end.
func sentence(clause string) string {
	clause = phrase.Clean(clause)
	if clause == "" {
		return ""
	}
	if runes := []rune(clause); len(runes) > 1 && (unicode.IsLower(runes[1]) || runes[1] == ' ') {
		runes[0] = unicode.ToUpper(runes[0])
		clause = string(runes)
	}
	if !strings.ContainsAny(clause[len(clause)-1:], ".!?") {
		clause += "."
	}
	return clause
}
