package own

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// readManifests reads what manifests of steps say counts.
func (r *Recording) readManifests(paths []string) error {
	var hashes []string
	folder := map[int]string{}
	for _, path := range paths {
		m, hash, err := readManifest(path)
		if err != nil {
			return err
		}
		if other, twice := folder[m.Step]; twice {
			return recorded.Fault(path, "name the folder of one run", "is of step %d, and so is %s", m.Step, filepath.Join(other, manifestName))
		}
		folder[m.Step] = filepath.Dir(path)
		r.Manifests, hashes = append(r.Manifests, m), append(hashes, hash)
	}
	slices.SortFunc(r.Manifests, func(a, b swap.StepManifest) int { return a.Step - b.Step })
	if err := boundRows(r.Manifests); err != nil {
		return err
	}
	slices.Sort(hashes)
	r.SHA256 = hashOf(hashes)
	g := gather(r.Manifests)
	for i := range r.Manifests {
		m := &r.Manifests[i]
		for k := range m.Blocks {
			if err := readBlock(folder[m.Step], &m.Blocks[k], g.add); err != nil {
				return err
			}
		}
	}
	r.keep(g)
	return nil
}

// readManifest reads and checks one manifest; every block is of its step, once.
func readManifest(path string) (swap.StepManifest, string, error) {
	var m swap.StepManifest
	file, err := os.Open(path) //nolint:gosec // G304: a person names the folder
	if err != nil {
		return m, "", err
	}
	defer func() { _ = file.Close() }()
	hash, err := recorded.ReadDocument(path, file, &m)
	if err != nil {
		return m, "", err
	}
	p := recorded.NewProblems(path)
	if m.Step < 1 || len(m.Blocks) == 0 {
		p.Add("step", "give the manifest.json of a load step", "is %d, with %d blocks: this is no manifest of a step", m.Step, len(m.Blocks))
	}
	seen := map[int]bool{}
	for i, b := range m.Blocks {
		if b.Step != m.Step || seen[b.Block] || !slices.Contains(swap.Arms[:], b.Arm) || b.Planned < 0 || b.MeasuredMS < 0 {
			p.Add(fmt.Sprintf("blocks[%d]", i), "copy the manifest again", "is out of place, there twice, or of no arm")
		}
		seen[b.Block] = true
	}
	return m, hash, p.Err()
}

// boundRows bounds what manifests can ask for.
func boundRows(manifests []swap.StepManifest) error {
	rows := int64(0)
	for _, m := range manifests {
		for _, b := range m.Blocks {
			for _, s := range b.Slices {
				if s.Raw.Rows < 0 || s.Raw.Rows > mostRows-rows {
					return fmt.Errorf("the run has more than %d requests: judge fewer steps at a time", mostRows)
				}
				rows += s.Raw.Rows
			}
		}
	}
	return nil
}

// readBlock gives the requests of a block's tables to add. The files must be those of the manifest, byte for byte.
func readBlock(folder string, b *swap.BlockResult, add func([]rawlog.Record)) error {
	for i := range b.Slices {
		raw := b.Slices[i].Raw
		path, err := below(folder, raw.URI)
		if err != nil {
			return err
		}
		if err := checkHash(path, raw); err != nil {
			return err
		}
		err = runstore.EachFileRecord(path, func(rows []rawlog.Record) error {
			for i := range rows {
				if int(rows[i].Step) != b.Step || int(rows[i].Block) != b.Block || swap.Arm(rows[i].Arm) != b.Arm {
					return recorded.Fault(path, "copy the run again", "holds a request of another block or arm than the manifest says")
				}
			}
			add(rows)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// below is the file of an object beside its manifest: what follows the folder of the step in its key.
func below(folder, uri string) (string, error) {
	parts := strings.Split(uri, "/")
	for i := len(parts) - 1; i > 0; i-- {
		if strings.HasPrefix(parts[i], "block-") {
			if rest := filepath.FromSlash(strings.Join(parts[i:], "/")); filepath.IsLocal(rest) {
				return filepath.Join(folder, rest), nil
			}
		}
	}
	return "", recorded.Fault(filepath.Join(folder, manifestName), "copy the manifest again",
		"names the table %q, which is no place of a block", uri)
}

func checkHash(path string, ref swap.ObjectRef) error {
	file, err := os.Open(path) //nolint:gosec // G304: below the folder that a person named
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(file, ref.Bytes+1))
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); n != ref.Bytes || !strings.EqualFold(got, ref.SHA256) {
		return recorded.Fault(path, "copy the run again", "is not the table that the manifest names: its hash or size differs")
	}
	return nil
}
