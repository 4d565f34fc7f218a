package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/swapgate/swapgate/pkg/swap"
)

// document is a snapshot whose servers are read apart: they are a record, and what a later version adds to them does not make a
// snapshot one that cannot be restored.
type document struct {
	swap.Snapshot
	Arms json.RawMessage `json:"arms"`
}

// decode reads a snapshot of this version or an older one. A field that this version does not know is refused: what it does not
// know it cannot restore.
func decode(data []byte) (swap.Snapshot, error) {
	var version struct {
		SchemaVersion int `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return swap.Snapshot{}, err
	}
	if version.SchemaVersion > swap.SnapshotVersion {
		return swap.Snapshot{}, fmt.Errorf("it is of version %d and this swapgate reads up to %d; restore it with a newer one",
			version.SchemaVersion, swap.SnapshotVersion)
	}
	var doc document
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return swap.Snapshot{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return swap.Snapshot{}, errors.New("something follows it")
	}
	s := doc.Snapshot
	if len(doc.Arms) > 0 {
		if err := json.Unmarshal(doc.Arms, &s.Arms); err != nil {
			return swap.Snapshot{}, fmt.Errorf("arms: %w", err)
		}
	}
	return s, check(s)
}

// check says what a snapshot must be to be kept and restored.
func check(s swap.Snapshot) error {
	if !targetName.MatchString(s.Target) || s.Taken.IsZero() {
		return errors.New("it needs a target's name and the time at which it was taken")
	}
	w := s.Weights
	switch {
	case (w == nil) != (s.Route == nil):
		return errors.New("it has weights or a gateway, and not both")
	case w != nil && (w.Baseline < 0 || w.Candidate < 0 || w.Baseline+w.Candidate != 100):
		return fmt.Errorf("its weights, baseline %d and candidate %d, do not make 100 %%", w.Baseline, w.Candidate)
	}
	return nil
}
