package wire

import (
	"errors"
	"math"
)

const (
	// mostChunkLine bounds the line before a chunk, mostTrailer all lines after the last one.
	mostChunkLine = 4 << 10
	mostTrailer   = 4 << 10
	// freeOverhead and mostOverhead bound what a server may send beside the data: so much a chunk and twice its data are free, as in
	// net/http, and what goes beyond may add up to so much.
	freeOverhead = 16
	mostOverhead = 16 << 10
)

// Faults of a chunked body.
var (
	errChunkSize     = errors.New("malformed chunked encoding: a chunk has no valid length")
	errChunkLine     = errors.New("malformed chunked encoding: the line before a chunk is too long")
	errChunkEnd      = errors.New("malformed chunked encoding: a chunk or its line does not end in CR LF")
	errChunkOverhead = errors.New("malformed chunked encoding: it contains too much beside the data")
	errTrailer       = errors.New("malformed chunked encoding: the trailer is too long")
)

// chunkPart is what of the chunked encoding comes next.
type chunkPart uint8

const (
	inSize chunkPart = iota
	inExtension
	inSizeLF
	inData
	inDataCR
	inDataLF
	inTrailer
	inTrailerLF
	afterChunks
)

// chunks takes the chunked encoding (RFC 9112, section 7.1) off a body, piece by piece. The zero value is at the begin of a body.
type chunks struct {
	part chunkPart
	// left is what is left of a chunk, or its length as far as it was read.
	left uint64
	// line is the length of a line so far, digits how many of it are of the length; blank says that only blanks may follow them.
	line, digits int
	blank        bool
	overhead     int64
}

// strip takes the encoding off the next piece of a body, in place: data are now b[:n]. Where the body ends within b, over is set
// and used is how many bytes of b were of it.
func (c *chunks) strip(b []byte) (n, used int, over bool, err error) {
	for used < len(b) {
		if c.part == inData {
			size := len(b) - used
			if uint64(size) > c.left {
				size = int(c.left) //nolint:gosec // smaller than a length
			}
			copy(b[n:], b[used:used+size])
			n, used, c.left = n+size, used+size, c.left-uint64(size)
			if c.left == 0 {
				c.part = inDataCR
			}
			continue
		}
		char := b[used]
		used++
		if err := c.take(char); err != nil {
			return n, used, false, err
		}
		if c.part == afterChunks {
			return n, used, true, nil
		}
	}
	return n, used, false, nil
}

// take goes on by one character that is no data.
func (c *chunks) take(char byte) error {
	c.line++
	switch c.part {
	case inSize:
		return c.size(char)
	case inExtension:
		if char == '\n' {
			return errChunkEnd
		}
		if char == '\r' {
			c.part = inSizeLF
		}
		return c.lineFits()
	case inSizeLF:
		if char != '\n' {
			return errChunkEnd
		}
		return c.begin()
	case inDataCR:
		return c.expect(char, '\r', inDataLF)
	case inDataLF:
		c.line = 0
		return c.expect(char, '\n', inSize)
	case inTrailer:
		return c.trailer(char)
	case inTrailerLF:
		return c.expect(char, '\n', afterChunks)
	case inData, afterChunks:
	}
	return nil
}

func (c *chunks) expect(char, want byte, next chunkPart) error {
	if char != want {
		return errChunkEnd
	}
	c.part = next
	return nil
}

func (c *chunks) lineFits() error {
	if c.line > mostChunkLine {
		return errChunkLine
	}
	return nil
}

// size takes a character of the line before a chunk, up to its extension or its end.
func (c *chunks) size(char byte) error {
	digit, isDigit := hexDigit(char)
	switch {
	case isDigit && !c.blank:
		if c.digits == 16 { // as net/http, which counts leading zeros too
			return errChunkSize
		}
		c.left, c.digits = c.left<<4|digit, c.digits+1
	case c.digits == 0:
		return errChunkSize
	case char == '\r':
		c.part = inSizeLF
	case char == ';':
		c.part = inExtension
	case char == ' ' || char == '\t':
		c.blank = true
	default:
		return errChunkSize
	}
	return c.lineFits()
}

// begin starts a chunk, or what follows the last one.
func (c *chunks) begin() error {
	if c.left > math.MaxInt64/4 {
		return errChunkSize
	}
	c.overhead = max(0, c.overhead+int64(c.line)-freeOverhead-2*int64(c.left))
	if c.overhead > mostOverhead {
		return errChunkOverhead
	}
	c.part, c.line, c.digits, c.blank = inData, 0, 0, false
	if c.left == 0 {
		c.part = inTrailer
	}
	return nil
}

// trailer skips lines up to an empty one. digits counts the characters of a line.
func (c *chunks) trailer(char byte) error {
	switch {
	case c.line > mostTrailer:
		return errTrailer
	case char == '\n':
		c.digits = 0
	case char == '\r' && c.digits == 0:
		c.part = inTrailerLF
	default:
		c.digits++
	}
	return nil
}

func hexDigit(char byte) (uint64, bool) {
	switch {
	case '0' <= char && char <= '9':
		return uint64(char - '0'), true
	case 'a' <= char && char <= 'f':
		return uint64(char-'a') + 10, true
	case 'A' <= char && char <= 'F':
		return uint64(char-'A') + 10, true
	}
	return 0, false
}
