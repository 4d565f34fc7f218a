package registry

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Schema names the layout of an entry.
const Schema = "registered-baseline/v1"

// Standing says what an entry is for.
type Standing string

// The standings of an entry.
const (
	// StandingReference has the numbers that later measurements are held against.
	StandingReference Standing = "reference"
	// StandingHistory is a record only: the numbers of an older entry, named by Reference, still count.
	StandingHistory Standing = "history"
)

// Entry is one version of a target's baseline: what serves, and how it behaves.
type Entry struct {
	Target string `json:"target"`
	// Version counts from 1 within the target, over all its models.
	Version int `json:"version"`
	// Parent is the version before this one; absent for the first.
	Parent   *Link    `json:"parent,omitempty"`
	Standing Standing `json:"standing"`
	// Why is the standing's reason, for a person.
	Why string `json:"why"`
	// Reference is the version that counts in place of this one; absent where this one counts.
	Reference *Link `json:"reference,omitempty"`
	// Serving is what was measured.
	Serving Serving `json:"serving"`
	// Since is how far Serving is from the reference by the gates, chained over the runs in between; empty where this entry is
	// the reference.
	Since []Shift `json:"since,omitempty"`
	// Offered is the candidate that passed in the same run and was not promoted by it. A later run that finds it serving
	// knows from here how it compares.
	Offered *Offer `json:"offered,omitempty"`
	Source  Source `json:"source"`
	// Levels are the numbers, one for each load step.
	Levels []Level `json:"levels"`
}

// Link names an entry and proves its content.
type Link struct {
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
}

// Serving is a model on an engine.
type Serving struct {
	Model         string `json:"model"`
	Engine        string `json:"engine,omitempty"`
	EngineVersion string `json:"engine_version,omitempty"`
	Fingerprint   string `json:"fingerprint,omitempty"`
	// Billions is the number of parameters in 10⁹; absent where neither the engine nor the name tells.
	Billions swap.Value `json:"billions"`
	// Class is the size class; empty where the size is not known.
	Class string `json:"class,omitempty"`
}

// alike says whether two of them are the same model on the same engine, as far as their names tell. The fingerprint tells more,
// but an engine may change it when it starts again.
func (s Serving) alike(o Serving) bool {
	return s.Model == o.Model && s.Engine == o.Engine && s.EngineVersion == o.EngineVersion
}

// same is alike with the same fingerprint.
func (s Serving) same(o Serving) bool { return s.alike(o) && s.Fingerprint == o.Fingerprint }

// Offer is a candidate that passed and was left to others to deploy.
type Offer struct {
	Serving Serving `json:"serving"`
	// Since is how far it is from the reference.
	Since []Shift `json:"since,omitempty"`
}

// Source says which run measured an entry's numbers and what wrote them.
type Source struct {
	RunID      string `json:"run_id"`
	WorkflowID string `json:"workflow_id"`
	// Verdict is the key of the run's verdict in the store.
	Verdict string `json:"verdict"`
	// Arm is the arm of that run whose numbers these are, and Promoted whether the run gave the candidate all traffic.
	Arm      swap.Arm `json:"arm"`
	Promoted bool     `json:"promoted"`
	// Started and Ended bound the run.
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// SpecSHA256 is the hash of the run's whole specification, WorkSHA256 of its workload and load alone: numbers are
	// comparable where the latter is equal.
	SpecSHA256     string `json:"spec_sha256"`
	WorkSHA256     string `json:"work_sha256"`
	EvidenceSHA256 string `json:"evidence_sha256"`
	// Manifests are those of the load steps, and lead to the raw requests.
	Manifests []swap.ObjectRef `json:"manifests"`
	// Recorded is when the entry was written, by the writer's clock, and Version what swapgate wrote it.
	Recorded time.Time `json:"recorded"`
	Version  string    `json:"swapgate_version"`
}

// link names the entry that has the given content.
func (e Entry) link(sha256 string) Link { return Link{Version: e.Version, SHA256: sha256} }

// Level returns the numbers of a load level by its label, such as "concurrency 8".
func (e Entry) Level(label string) (Level, bool) {
	for _, l := range e.Levels {
		if l.Label == label {
			return l, true
		}
	}
	return Level{}, false
}
