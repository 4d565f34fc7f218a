package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// clientSection is the load client's account of itself.
type clientSection struct {
	Lead   string
	Faults []clientFault
	// Remark says what it means that there is no fault; empty where there is one.
	Remark              string
	Calibration, During signalTable
	// Meanings explain the columns of both tables.
	Meanings []fact
	Missing  string
}

// clientFault is one signal at fault, over all steps in which it was.
type clientFault struct{ Where, Subject, Message, Next string }

type signalTable struct {
	Caption string
	Columns []string
	Rows    []signalRow
}

type signalRow struct {
	Step  string
	Cells []signalCell
}

type signalCell struct {
	Name, Value, Limit string
	// Broken says that the value is beyond its limit.
	Broken bool
}

func newClientSection(d Data) clientSection {
	steps := d.Verdict.Steps
	if len(steps) == 0 {
		return clientSection{Missing: unmeasured(d.Verdict, "load step was measured")}
	}
	if !slices.ContainsFunc(steps, func(s swap.StepResult) bool { return hasAccount(s.Instrument) }) {
		return clientSection{Missing: "n/a: the load client gave no account of itself, so its own error is not known."}
	}
	s := clientSection{
		Lead: clientLead(steps), Faults: clientFaults(steps), Remark: clientRemark(d.Verdict),
		Calibration: newSignalTable("Against a server of known truth, just before the step", calibrationSignals),
		During:      newSignalTable("During the step", stepSignals),
		Meanings:    meanings(),
	}
	for i, step := range steps {
		var limits *InstrumentLimits
		if i < len(d.Steps) {
			limits = d.Steps[i].Limits
		}
		s.add(step, limits)
	}
	return s
}

func hasAccount(state swap.InstrumentState) bool {
	return state.Calibration != swap.InstrumentReading{} || state.During != swap.InstrumentReading{} || len(state.Faults) > 0
}

// clientLead says in plain words how good the numbers of the report can be.
func clientLead(steps []swap.StepResult) string {
	var worst swap.InstrumentState
	for i := range steps {
		worst.Calibration = worst.Calibration.Worse(steps[i].Instrument.Calibration)
		worst.During = worst.During.Worse(steps[i].Instrument.During)
	}
	var said []string
	if v := worst.Calibration.TokenErrorP99MS; v.Valid() {
		said = append(said, "timed 99 of 100 tokens to within "+phrase.Quantity(v, "ms"))
	}
	if v := worst.Calibration.TTFTErrorP99MS; v.Valid() {
		said = append(said, "made 99 of 100 times to the first token at most "+phrase.Quantity(v, "ms")+" too long")
	}
	if v := worst.During.SendLatenessP99MS; v.Valid() {
		said = append(said, "sent 99 of 100 requests at most "+phrase.Quantity(v, "ms")+" late")
	}
	if len(said) == 0 {
		return "How far off its times are is not known."
	}
	return "In its worst step it " + inWords(said) + ". The report's times are known no better than that; " +
		"both arms share the client and its error."
}

// inWords joins parts as a sentence does: "a, b and c".
func inWords(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func clientRemark(v swap.Verdict) string {
	switch {
	case slices.ContainsFunc(v.Steps, func(s swap.StepResult) bool { return len(s.Instrument.Faults) > 0 }):
		return ""
	case slices.ContainsFunc(v.Reasons, func(r swap.Reason) bool { return r.Code == swap.ReasonInstrument }):
		return "By its own account it kept every limit. The raw records of its requests say otherwise: see the reasons of the verdict."
	}
	return "It kept every limit."
}

// clientFaults gathers faults by signal, in the order of their first step, whose message speaks for the others.
func clientFaults(steps []swap.StepResult) []clientFault {
	var signals []string
	first, in := map[string]swap.InstrumentFault{}, map[string][]string{}
	for i := range steps {
		for _, f := range steps[i].Instrument.Faults {
			if in[f.Signal] == nil {
				signals, first[f.Signal] = append(signals, f.Signal), f
			}
			in[f.Signal] = append(in[f.Signal], strconv.Itoa(steps[i].Step))
		}
	}
	faults := make([]clientFault, len(signals))
	for i, signal := range signals {
		where := "step " + in[signal][0]
		if len(in[signal]) > 1 {
			where = "steps " + inWords(in[signal])
		}
		faults[i] = clientFault{
			Where: where, Subject: phrase.Signal(signal), Message: phrase.Clean(first[signal].Message), Next: phrase.Clean(first[signal].Next),
		}
	}
	return faults
}

func newSignalTable(caption string, signals []signal) signalTable {
	t := signalTable{Caption: caption}
	for _, s := range signals {
		t.Columns = append(t.Columns, s.name)
	}
	return t
}

// meanings explain each signal once.
func meanings() []fact {
	var facts []fact
	for _, s := range slices.Concat(calibrationSignals, stepSignals) {
		if f := (fact{Name: s.name, Value: s.meaning}); s.meaning != "" && !slices.Contains(facts, f) {
			facts = append(facts, f)
		}
	}
	return facts
}

func (s *clientSection) add(step swap.StepResult, limits *InstrumentLimits) {
	before := account{path: "calibration.", reading: step.Instrument.Calibration, faults: step.Instrument.Faults}
	during := account{path: "during.", reading: step.Instrument.During, faults: step.Instrument.Faults}
	if limits != nil {
		before.limits, during.limits = &limits.Calibration, &limits.During
	}
	name := fmt.Sprintf("%d: %s", step.Step, phrase.Clean(step.Label))
	s.Calibration.Rows = append(s.Calibration.Rows, signalRow{name, before.cells(calibrationSignals)})
	s.During.Rows = append(s.During.Rows, signalRow{name, during.cells(stepSignals)})
}

// account is one reading with what it is held against; limits is nil where they are not known.
type account struct {
	path    string
	reading swap.InstrumentReading
	limits  *swap.InstrumentReading
	faults  []swap.InstrumentFault
}

func (a account) cells(signals []signal) []signalCell {
	row := make([]signalCell, len(signals))
	for i, s := range signals {
		row[i] = signalCell{Name: s.name, Value: s.show(a.reading), Limit: s.limit(a.limits)}
		row[i].Broken = slices.ContainsFunc(a.faults, func(f swap.InstrumentFault) bool { return f.Signal == a.path+s.key })
	}
	return row
}
