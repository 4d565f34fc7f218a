package protocol

import "encoding/binary"

// wavSeconds returns the playing time of a WAV file (RIFF, chunks fmt and data), and whether b is one. A file that was
// streamed does not know its size when its header is written; then all that follows is data.
func wavSeconds(b []byte) (float64, bool) {
	const riffHeader, chunkHeader = 12, 8
	if len(b) < riffHeader || string(b[:4]) != "RIFF" || string(b[8:riffHeader]) != "WAVE" {
		return 0, false
	}
	var bytesPerSecond uint32
	for rest := b[riffHeader:]; len(rest) >= chunkHeader; {
		id, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[chunkHeader:]
		if id == "data" {
			if size == 0 || size > int64(len(rest)) {
				size = int64(len(rest))
			}
			return float64(size) / float64(bytesPerSecond), bytesPerSecond > 0
		}
		size += size % 2
		if size > int64(len(rest)) {
			break
		}
		if id == "fmt " && size >= riffHeader {
			bytesPerSecond = binary.LittleEndian.Uint32(rest[8:])
		}
		rest = rest[size:]
	}
	return 0, false
}
