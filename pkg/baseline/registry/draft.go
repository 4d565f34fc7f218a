package registry

import (
	"fmt"
	"math"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Draft is what a run that passed measured.
type Draft struct {
	Target string
	// Source is without Arm.
	Source Source
	// Arms are both models. Levels are needed of the baseline, and of a candidate that was promoted.
	Arms swap.PerArm[Measured]
	// Gates are what the run says of the candidate against the baseline.
	Gates []swap.GateResult
}

// Measured is a model with its numbers.
type Measured struct {
	Serving Serving
	Levels  []Level
}

func (d Draft) check() error {
	switch {
	case !targetName.MatchString(d.Target):
		return fmt.Errorf("%w: %q is not the name of a target", ErrInvalid, d.Target)
	case d.Source.RunID == "" || d.Source.WorkSHA256 == "" || d.Source.Started.IsZero():
		return fmt.Errorf("%w of %s: it needs a run id, its start and the hash of the work", ErrInvalid, d.Target)
	}
	for _, g := range d.Gates {
		if g.Decision != swap.Pass {
			return fmt.Errorf("%w of %s: gate %s ended %s, and only what passed is registered", ErrInvalid, d.Target, g.Name, g.Decision)
		}
	}
	for _, arm := range swap.Arms {
		if m := d.Arms.Get(arm); len(m.Levels) == 0 && (arm == swap.Baseline || d.Source.Promoted) {
			return fmt.Errorf("%w of %s: there are no numbers of the %s", ErrInvalid, d.Target, arm)
		}
	}
	return nil
}

// entry is one arm's entry before it has a place in the history.
func (d Draft) entry(arm swap.Arm) Entry {
	e := Entry{Target: d.Target, Serving: d.Arms.Get(arm).Serving, Levels: d.Arms.Get(arm).Levels, Source: d.Source}
	e.Source.Arm = arm
	return e
}

// replaced is the entry of the baseline arm after the newest comparable one, which may be nil.
func (d Draft) replaced(before *Registered) Entry {
	e := d.entry(swap.Baseline)
	switch {
	case before == nil:
		e.count("no earlier run measured this target with the same workload and load")
	case before.serves(e.Serving):
		e.Since = before.Since
		e.follow(*before, fmt.Sprintf("the model of version %d, measured again", before.Version))
	case before.offers(e.Serving):
		e.stand(*before, before.Offered.Since)
	default:
		e.count(fmt.Sprintf("another model than that of version %d serves, and no run compared the two", before.Version))
	}
	if !d.Source.Promoted {
		e.Offered = &Offer{Serving: d.Arms.Candidate.Serving, Since: chain(e.Since, shiftsOf(d.Gates))}
	}
	return e
}

// serves says whether s, which was found serving after the entry was written, is the entry's model: by its fingerprint, or by its
// names where the model that was offered is not nearer.
func (e Entry) serves(s Serving) bool {
	return e.Serving.same(s) || e.Serving.alike(s) && (e.Offered == nil || !e.Offered.Serving.same(s))
}

// offers says whether s is the candidate that was left to others to deploy.
func (e Entry) offers(s Serving) bool {
	return !e.serves(s) && e.Offered != nil && e.Offered.Serving.alike(s)
}

// Chained is how far a candidate is from the reference by gates that compare it with baseline, the model that serves now. It is
// empty where no run compared that model with the entry's.
func (e Entry) Chained(baseline Serving, gates []swap.GateResult) []Shift {
	switch {
	case e.serves(baseline):
		return chain(e.Since, shiftsOf(gates))
	case e.offers(baseline):
		return chain(e.Offered.Since, shiftsOf(gates))
	}
	return nil
}

// promoted is the entry of the candidate that took over from what before describes.
func (d Draft) promoted(before Registered) Entry {
	e := d.entry(swap.Candidate)
	e.stand(before, chain(before.Since, shiftsOf(d.Gates)))
	return e
}

// stand makes the entry the reference unless the gates show that it is worse than the one there is.
func (e *Entry) stand(before Registered, since []Shift) {
	var worse []string
	for _, s := range since {
		if s.Worse() {
			worse = append(worse, s.String())
		}
	}
	if len(worse) == 0 {
		e.count(fmt.Sprintf("no gate shows it worse than version %d", before.Counting().Version))
		return
	}
	e.Since = since
	e.follow(before, fmt.Sprintf("worse than version %d, though within the margins of its runs: %s",
		before.Counting().Version, strings.Join(worse, ", ")))
}

func (e *Entry) count(why string) {
	e.Standing, e.Why, e.Reference, e.Since = StandingReference, why, nil, nil
}

func (e *Entry) follow(before Registered, why string) {
	reference := before.Counting()
	e.Standing, e.Why, e.Reference = StandingHistory, why, &reference
}

// Counting is the entry whose numbers count.
func (r Registered) Counting() Link {
	if r.Reference != nil {
		return *r.Reference
	}
	return r.Link()
}

// String is the shift as a person reads it, such as "ttft_p95 +4.1 % (+2.0 % to +6.2 %) over 2 runs".
func (s Shift) String() string {
	runs := "in 1 run"
	if s.Runs > 1 {
		runs = fmt.Sprintf("over %d runs", s.Runs)
	}
	return fmt.Sprintf("%s %s (%s to %s) %s", s.Gate.Name(), s.amount(s.Change), s.amount(s.Low), s.amount(s.High), runs)
}

func (s Shift) amount(v swap.Value) string {
	if s.Gate.Unit == swap.Absolute {
		return fmt.Sprintf("%+.3g", v.Or(math.NaN()))
	}
	return fmt.Sprintf("%+.1f %%", 100*v.Or(math.NaN()))
}
