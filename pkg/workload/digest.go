package workload

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// version is part of the digest: a change of how prompts are made is a change of the workload.
const version = "workload/1"

// digestOf hashes in order: settings, prompts, and what a workload may have beyond them.
func (g *Generator) digestOf() [sha256.Size]byte {
	h := sha256.New()
	w := g.spec
	fmt.Fprintf(h, "%s|%s|%v|%v|%t|%g|%d|%d|", version,
		w.API, w.InputTokens, w.OutputTokens, w.IgnoreEOS, w.Temperature, w.Seed, len(g.prompts))
	var size [8]byte
	for _, p := range g.prompts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p.text)))
		h.Write(size[:])
		h.Write([]byte(p.text))
	}
	if t := w.Topology; t != nil {
		fmt.Fprintf(h, "|topology %s|%d|%d", t.Shape, t.Size, t.ThinkTime.Std())
	}
	if m := w.Image; m != nil {
		fmt.Fprintf(h, "|image %d|%d|%d", m.Width, m.Height, m.Steps)
	}
	if a := w.AudioSeconds; a != nil {
		fmt.Fprintf(h, "|audio %s|%v", tapeVersion, *a)
	}
	if g.recorded != nil {
		fmt.Fprintf(h, "|recorded %x", g.recorded.digest)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
