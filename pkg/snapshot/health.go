package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// MarkHealthy says beside a snapshot that its run passed. Marking it again changes nothing: the first verdict of a run stands.
func MarkHealthy(ctx context.Context, st Store, ref swap.ObjectRef, h swap.SnapshotHealth) error {
	if h.Verdict != swap.Pass || h.VerdictID == "" || h.Decided.IsZero() {
		return fmt.Errorf("%w: only a verdict that passed, with its id and time, marks %s healthy", ErrInvalid, ref.URI)
	}
	s, err := Load(ctx, st, ref)
	if err != nil {
		return err
	}
	h.SnapshotSHA256, h.Decided = ref.SHA256, h.Decided.UTC().Round(0)
	data, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("%w: the mark of %s: %w", ErrInvalid, ref.URI, err)
	}
	at := prefix(s.Target) + s.Taken.UTC().Format(keyTime) + "-" + ref.SHA256[:16] + ".json"
	if _, _, err := st.PutOnce(ctx, markKey(at), "application/json", data, MarkSchema); err != nil {
		return fmt.Errorf("mark snapshot %s healthy: %w", ref.URI, err)
	}
	return nil
}

// readMark reads the mark beside a snapshot.
func readMark(ctx context.Context, st Store, at string, ref swap.ObjectRef) (*swap.SnapshotHealth, error) {
	data, _, err := st.GetKey(ctx, markKey(at))
	if err != nil {
		return nil, fmt.Errorf("load the mark of snapshot %s: %w", at, err)
	}
	h, err := decodeMark(data)
	if err == nil && h.SnapshotSHA256 != ref.SHA256 {
		err = errors.New("it is of another snapshot")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the mark of %s: %w", ErrCorrupt, at, err)
	}
	return &h, nil
}

func decodeMark(data []byte) (swap.SnapshotHealth, error) {
	var h swap.SnapshotHealth
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&h); err != nil {
		return swap.SnapshotHealth{}, err
	}
	if h.Verdict != swap.Pass || h.VerdictID == "" {
		return swap.SnapshotHealth{}, errors.New("it names no verdict that passed")
	}
	return h, nil
}
