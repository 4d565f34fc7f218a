package raster

import (
	"math"
	"strconv"
	"strings"
)

// outlines reads the d attribute of a path of package chart: moves, lines, and the half circles of its markers. What it does not
// know ends the path, as a browser does it.
func outlines(d string) (lines [][]vec, closed []bool) {
	p := pathReader{rest: d}
	for {
		command, ok := p.command()
		if !ok || !p.draw(command) {
			return p.lines, p.closed
		}
	}
}

type pathReader struct {
	rest   string
	at     vec
	lines  [][]vec
	closed []bool
}

// command takes the next letter.
func (p *pathReader) command() (byte, bool) {
	p.rest = strings.TrimLeft(p.rest, " ,")
	if p.rest == "" {
		return 0, false
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c, true
}

// numbers takes n numbers.
func (p *pathReader) numbers(n int) ([]float64, bool) {
	out := make([]float64, 0, n)
	for range n {
		p.rest = strings.TrimLeft(p.rest, " ,")
		end := 0
		for end < len(p.rest) && strings.IndexByte("+-.0123456789", p.rest[end]) >= 0 && (end == 0 || p.rest[end] != '-') {
			end++
		}
		v, err := strconv.ParseFloat(p.rest[:end], 64)
		if err != nil {
			return nil, false
		}
		p.rest = p.rest[end:]
		out = append(out, v)
	}
	return out, true
}

// operands is how many numbers follow a command.
var operands = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'h': 1, 'v': 1, 'a': 7, 'z': 0}

func (p *pathReader) draw(command byte) bool {
	n, known := operands[command]
	v, ok := p.numbers(n)
	if !known || !ok || (command != 'M' && len(p.lines) == 0) {
		return false
	}
	to := p.at
	switch command {
	case 'M':
		p.at = vec{v[0], v[1]}
		p.lines, p.closed = append(p.lines, []vec{p.at}), append(p.closed, false)
		return true
	case 'z':
		p.closed[len(p.closed)-1] = true
		return true
	case 'L':
		to = vec{v[0], v[1]}
	case 'H':
		to.x = v[0]
	case 'V':
		to.y = v[0]
	case 'h':
		to.x += v[0]
	case 'v':
		to.y += v[0]
	case 'a':
		p.halfCircle(v[5])
		return true
	}
	p.to(to)
	return true
}

func (p *pathReader) to(v vec) {
	p.at = v
	last := len(p.lines) - 1
	p.lines[last] = append(p.lines[last], v)
}

// halfCircle goes to a point dx to the right (or left) around the middle between.
func (p *pathReader) halfCircle(dx float64) {
	const sides = 8
	middle, r := vec{p.at.x + dx/2, p.at.y}, dx/2
	for i := 1; i <= sides; i++ {
		sin, cos := math.Sincos(math.Pi * float64(i) / sides)
		p.to(vec{middle.x - r*cos, middle.y + r*sin})
	}
}

// dashed cuts a line into dashes of on units with off units between.
func dashed(line []vec, on, off float64) [][]vec {
	var dashes [][]vec
	dash, left := []vec{line[0]}, on // dash is nil within a gap
	for i := 1; i < len(line); i++ {
		at, end := line[i-1], line[i]
		for {
			length := math.Hypot(end.x-at.x, end.y-at.y)
			if length <= left {
				left -= length
				break
			}
			at = vec{at.x + (end.x-at.x)*left/length, at.y + (end.y-at.y)*left/length}
			if dash != nil {
				dashes = append(dashes, append(dash, at))
				dash, left = nil, off
			} else {
				dash, left = []vec{at}, on
			}
		}
		if dash != nil {
			dash = append(dash, end)
		}
	}
	if len(dash) > 1 {
		dashes = append(dashes, dash)
	}
	return dashes
}
