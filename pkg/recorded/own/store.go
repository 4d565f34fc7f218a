package own

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ReadStore reads the recording below s3://bucket/prefix: the prefix of a run, of its raw data or of one step.
func ReadStore(ctx context.Context, s *runstore.Store, uri string) (Recording, error) {
	r := Recording{Name: path.Base(strings.TrimSuffix(uri, "/"))}
	prefix, err := s.KeyOf(swap.ObjectRef{URI: uri})
	if err != nil {
		return r, err
	}
	keys, err := s.List(ctx, strings.TrimSuffix(strings.TrimSuffix(prefix, manifestName), "/")+"/")
	if err != nil {
		return r, err
	}
	var hashes []string
	for _, key := range keys {
		if path.Base(key) != manifestName {
			continue
		}
		_, ref, err := s.GetKey(ctx, key)
		if err != nil {
			return r, err
		}
		m, err := runstore.ReadManifest(ctx, s, ref)
		if err != nil {
			return r, err
		}
		r.Manifests, hashes = append(r.Manifests, m), append(hashes, ref.SHA256)
	}
	if len(r.Manifests) == 0 {
		return r, recorded.Fault(uri, "name the prefix of a run: s3://bucket/runs/TARGET/RUN", "holds no %s", manifestName)
	}
	if err := sameRun(r.Manifests); err != nil {
		return r, err
	}
	if err := boundRows(r.Manifests); err != nil {
		return r, err
	}
	r.SHA256 = hashOf(hashes)
	g := gather(r.Manifests)
	for i := range r.Manifests {
		err := runstore.EachJudgedRecord(ctx, s, r.Manifests[i].Blocks, func(rows []rawlog.Record) error {
			g.add(rows)
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	r.keep(g)
	return r, nil
}

// sameRun refuses a prefix that holds several runs.
func sameRun(manifests []swap.StepManifest) error {
	for _, m := range manifests[1:] {
		if m.RunKey != manifests[0].RunKey {
			return fmt.Errorf("runs %s and %s lie below one prefix: name the prefix of one", manifests[0].RunID, m.RunID)
		}
	}
	return nil
}
