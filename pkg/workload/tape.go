package workload

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"
)

// tapeVersion names how the samples are made.
const tapeVersion = "tape/1"

// tape is a synthetic voice, made as far as it was asked for. All recordings are beginnings of it, so that together they
// need no more memory than the longest.
type tape struct {
	mu  sync.Mutex
	pcm []byte
	r   *rand.Rand
	// phase is the place in the wave; 2³² is one period.
	phase uint32
}

func newTape(seed uint64) *tape {
	return &tape{r: rand.New(rand.NewPCG(seed, tapeStream))}
}

const tapeStream = 0x589965cc75374cc3

// first returns the first seconds of the tape, as little-endian 16-bit samples. They are never written again.
func (t *tape) first(seconds int) []byte {
	n := seconds * sampleRate * bytesPerSample
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pcm) < n {
		t.syllable()
	}
	return t.pcm[:n:n]
}

// syllable adds 150 to 300 ms of a tone between 90 and 250 Hz, which swells and fades, over faint noise. It is integer
// arithmetic, so that the samples are the same on every machine.
func (t *tape) syllable() {
	length := sampleRate*15/100 + t.r.IntN(sampleRate*15/100)
	step := uint32(uint64(90+t.r.IntN(160)) << 32 / sampleRate) //nolint:gosec // below 2³²
	for i := range length {
		loudness := min(2*i, 2*(length-i), length) * 256 / length
		noise := int(t.r.Uint64()>>56) - 128
		sample := int(wave[t.phase>>24])*loudness/256 + noise
		t.pcm = binary.LittleEndian.AppendUint16(t.pcm, uint16(sample)) //nolint:gosec // |sample| < 2¹⁵, as two's complement
		t.phase += step
	}
}

// wave is one period of a voice-like tone: eight harmonics, each weaker than the one before.
var wave = func() (w [256]int16) {
	for i := range w {
		sum := 0.0
		for h := 1.0; h <= 8; h++ {
			sum += math.Sin(2*math.Pi*h*float64(i)/256) / h
		}
		w[i] = int16(math.Round(10_000 * sum))
	}
	return w
}()
