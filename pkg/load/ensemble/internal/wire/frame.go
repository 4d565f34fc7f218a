package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Bounds of a frame.
const (
	MaxDocumentBytes = 1 << 20
	MaxSampleBytes   = 64 << 20
)

const (
	headerBytes = 8
	sampleBytes = 4
	// chunkSamples are encoded or decoded at a time, so that memory follows what really came and not what was announced.
	chunkSamples = 16 << 10
)

type document struct {
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// Write writes a message as one frame. An error that is not the writer's says what is wrong with the message; then nothing
// was written.
func Write(w io.Writer, m Message) error {
	if err := Check(m); err != nil {
		return err
	}
	frame, samples, err := encode(m)
	if err != nil {
		return err
	}
	if _, err := w.Write(frame); err != nil {
		return err
	}
	return writeSamples(w, samples)
}

// Check reports what is wrong with a message, its size included.
func Check(m Message) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", m.kind(), err)
	}
	if s, ok := m.(Slice); ok {
		if len(s.Samples) > MaxSampleBytes/sampleBytes {
			return fmt.Errorf("slice: %d samples, at most %d fit", len(s.Samples), MaxSampleBytes/sampleBytes)
		}
		if len(s.Payload) > MaxDocumentBytes/2 {
			return fmt.Errorf("slice: the payload has %d bytes, at most %d fit", len(s.Payload), MaxDocumentBytes/2)
		}
	}
	return nil
}

func encode(m Message) (frame []byte, samples []float32, err error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.kind(), err)
	}
	doc, err := json.Marshal(document{Kind: m.kind(), Body: body})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.kind(), err)
	}
	if len(doc) > MaxDocumentBytes {
		return nil, nil, fmt.Errorf("%s: the document has %d bytes, at most %d fit", m.kind(), len(doc), MaxDocumentBytes)
	}
	if s, ok := m.(Slice); ok {
		samples = s.Samples
	}
	frame = binary.BigEndian.AppendUint32(nil, uint32(len(doc)))                   //nolint:gosec // bounded above
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(samples)*sampleBytes)) //nolint:gosec // bounded by Check
	return append(frame, doc...), samples, nil
}

func writeSamples(w io.Writer, samples []float32) error {
	var chunk []byte
	for len(samples) > 0 {
		n := min(len(samples), chunkSamples)
		chunk = chunk[:0]
		for _, v := range samples[:n] {
			chunk = binary.LittleEndian.AppendUint32(chunk, math.Float32bits(v))
		}
		if _, err := w.Write(chunk); err != nil {
			return err
		}
		samples = samples[n:]
	}
	return nil
}

// Read reads one frame. After an error the connection cannot be used any more; io.EOF is an end between two frames.
func Read(r io.Reader) (Message, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, err
	}
	length, attached := binary.BigEndian.Uint32(header[:4]), binary.BigEndian.Uint32(header[4:])
	if length == 0 || length > MaxDocumentBytes {
		return nil, fmt.Errorf("malformed frame: a document of %d bytes, must have 1 to %d", length, MaxDocumentBytes)
	}
	if attached > MaxSampleBytes || attached%sampleBytes != 0 {
		return nil, fmt.Errorf("malformed frame: an attachment of %d bytes", attached)
	}
	var doc bytes.Buffer
	if _, err := io.CopyN(&doc, r, int64(length)); err != nil {
		return nil, cutShort(err)
	}
	m, err := decode(doc.Bytes())
	if err != nil {
		return nil, fmt.Errorf("malformed message: %w", err)
	}
	if m, err = attach(m, r, int(attached)/sampleBytes); err != nil {
		return nil, err
	}
	if err := Check(m); err != nil {
		return nil, fmt.Errorf("malformed message: %w", err)
	}
	return m, nil
}

// attach reads what is attached to a message.
func attach(m Message, r io.Reader, samples int) (Message, error) {
	if samples == 0 {
		return m, nil
	}
	s, ok := m.(Slice)
	if !ok {
		return nil, fmt.Errorf("malformed frame: %s has an attachment", m.kind())
	}
	chunk := make([]byte, sampleBytes*min(samples, chunkSamples))
	for samples > 0 {
		part := chunk[:sampleBytes*min(samples, chunkSamples)]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, cutShort(err)
		}
		for at := 0; at < len(part); at += sampleBytes {
			s.Samples = append(s.Samples, math.Float32frombits(binary.LittleEndian.Uint32(part[at:])))
		}
		samples -= len(part) / sampleBytes
	}
	return s, nil
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
