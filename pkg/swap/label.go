package swap

import "strconv"

// Label names a load level the way people write it, such as "concurrency 8", "20 → 100 req/s" or "KV 92 %, prompts 512".
func (s Step) Label() string {
	label := s.level()
	if s.Spike != nil {
		label += " + spike " + number(s.Spike.Rate)
	}
	if s.ThinkTime > 0 {
		label += ", think time " + s.ThinkTime.String()
	}
	if s.MaxInFlight > 0 {
		label += ", at most " + strconv.Itoa(s.MaxInFlight) + " in flight"
	}
	if s.TokenRate != nil {
		label += ", at most " + strconv.FormatFloat(s.TokenRate.Limit, 'f', -1, 64) + " tok/s"
	}
	if s.InputTokens != nil {
		label += ", prompts " + strconv.Itoa(s.InputTokens.Median)
	}
	if s.OutputTokens != nil {
		label += ", answers " + strconv.Itoa(s.OutputTokens.Median)
	}
	return label
}

func (s Step) level() string {
	switch {
	case s.KVShare > 0 && s.Concurrency > 0:
		return kvLabel(s.KVShare) + " = concurrency " + strconv.Itoa(s.Concurrency)
	case s.KVShare > 0:
		return kvLabel(s.KVShare)
	case s.Concurrency > 0:
		return "concurrency " + strconv.Itoa(s.Concurrency)
	}
	label := number(s.Rate) + " req/s"
	if s.Ramp != nil {
		label = number(s.Ramp.From) + " → " + label
	}
	if s.Arrival == nil {
		return label
	}
	return label + s.Arrival.label()
}

func kvLabel(share float64) string { return "KV " + strconv.FormatFloat(100*share, 'g', 4, 64) + " %" }

// label is empty for the arrivals that a step has when it names none.
func (a Arrival) label() string {
	switch a.Process {
	case ArrivalPoisson, "":
		return ""
	case ArrivalGamma:
		return " gamma cv " + number(a.CV)
	case ArrivalConstant, ArrivalWeibull, ArrivalTrace:
	}
	return " " + string(a.Process)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
