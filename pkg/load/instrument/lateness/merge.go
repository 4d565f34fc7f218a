package lateness

import (
	"encoding/json"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Merge adds what another tally gathered.
func (t *Tally) Merge(o *Tally) {
	t.kept.Merge(&o.kept)
	t.all.Merge(&o.all)
}

type tallyDoc struct {
	Kept *stats.Histogram `json:"kept"`
	All  *stats.Histogram `json:"all"`
}

// MarshalJSON writes the tally for another process of the same version.
func (t *Tally) MarshalJSON() ([]byte, error) {
	return json.Marshal(tallyDoc{Kept: &t.kept, All: &t.all})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Tally) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &tallyDoc{Kept: &t.kept, All: &t.all})
}
