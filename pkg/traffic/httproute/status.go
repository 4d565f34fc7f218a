package httproute

import "fmt"

// parent is what one gateway says of the route.
type parent struct {
	ParentRef struct {
		Name string `json:"name"`
	} `json:"parentRef"`
	Conditions []condition `json:"conditions"`
}

type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	ObservedGeneration int64  `json:"observedGeneration"`
}

// pending says what is missing until every gateway follows the route at this generation; empty when nothing is. A reference that
// is not resolved gets its share of traffic and answers it with 500; where the candidate has no share, its backend may be gone.
func pending(parents []parent, generation int64, resolved bool) string {
	if len(parents) == 0 {
		return "no gateway has taken up the route"
	}
	for _, p := range parents {
		missing := p.missing("Accepted", generation, true)
		if missing == "" {
			missing = p.missing("ResolvedRefs", generation, resolved)
		}
		if missing != "" {
			return fmt.Sprintf("gateway %s: %s", p.ParentRef.Name, missing)
		}
	}
	return ""
}

// missing says why a condition does not hold at this generation, or where it need not be true why it is not known.
func (p parent) missing(kind string, generation int64, mustHold bool) string {
	for _, c := range p.Conditions {
		switch {
		case c.Type != kind:
		case c.ObservedGeneration < generation:
			return fmt.Sprintf("it has seen generation %d of the route, which is at %d", c.ObservedGeneration, generation)
		case mustHold && c.Status != "True":
			return fmt.Sprintf("%s is %s: %s: %s", kind, c.Status, c.Reason, c.Message)
		default:
			return ""
		}
	}
	return "it does not report " + kind
}
