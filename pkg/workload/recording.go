package workload

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

const (
	sampleRate     = 16_000
	bytesPerSample = 2
	wavHeaderBytes = 44
)

// Recording returns a WAV file to transcribe, of 16 kHz, one channel and 16-bit PCM. It is a function of the seed, the length
// and the salt: a synthetic voice that says nothing, never silent for long. The salt (Generator.Salt) is written inaudibly
// into the first samples, so that a server that remembers recordings has not seen this one; an empty salt changes nothing.
//
// A model hears no words in it. How many tokens it answers is up to the model, and not what it would be for speech.
func (g *Generator) Recording(seconds int, salt string) []byte {
	pcm := g.tape.first(seconds)
	wav := make([]byte, wavHeaderBytes, wavHeaderBytes+len(pcm))
	writeWAVHeader(wav, len(pcm))
	wav = append(wav, pcm...)
	if salt != "" {
		imprint(wav[wavHeaderBytes:], salt)
	}
	return wav
}

// recordingHash identifies an unsalted recording without making it.
func (g *Generator) recordingHash(seconds int) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s|%d|%d", tapeVersion, g.spec.Seed, seconds))
}

// writeWAVHeader describes n bytes of PCM (RIFF WAVE, format 1).
func writeWAVHeader(b []byte, n int) {
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	copy(b[0:], "RIFF")
	put32(b[4:], uint32(wavHeaderBytes-8+n)) //nolint:gosec // an hour is 115 MB
	copy(b[8:], "WAVEfmt ")
	put32(b[16:], 16) // bytes of the format that follow
	put16(b[20:], 1)  // PCM
	put16(b[22:], 1)  // channels
	put32(b[24:], sampleRate)
	put32(b[28:], sampleRate*bytesPerSample)
	put16(b[32:], bytesPerSample)
	put16(b[34:], 8*bytesPerSample)
	copy(b[36:], "data")
	put32(b[40:], uint32(n)) //nolint:gosec // an hour is 115 MB
}

// imprint replaces the lowest bit of the first 256 samples by the hash of the salt.
func imprint(pcm []byte, salt string) {
	sum := sha256.Sum256([]byte(salt))
	for k := range 8 * len(sum) {
		low := &pcm[k*bytesPerSample]
		*low = *low&^1 | sum[k/8]>>(k%8)&1
	}
}
