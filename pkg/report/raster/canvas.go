// Package raster draws charts as pictures for media that show no page: the marks of package chart, in the light colours of the
// report, with anti-aliased edges and a stroke font of its own. It needs nothing but the standard library.
package raster

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// Canvas is a picture of which one unit is some pixels wide.
type Canvas struct {
	img   *image.RGBA
	scale float64
	// cover holds, for the outline that is being filled, how much the coverage changes from one pixel to the next.
	cover []float32
	// top and bottom bound the rows of cover that are in use.
	top, bottom int
}

type vec struct{ x, y float64 }

// New is a white canvas of the given size in units.
func New(width, height, scale float64) *Canvas {
	w, h := int(math.Ceil(width*scale)), int(math.Ceil(height*scale))
	c := &Canvas{img: image.NewRGBA(image.Rect(0, 0, w, h)), scale: scale, cover: make([]float32, (w+1)*h)}
	for i := range c.img.Pix {
		c.img.Pix[i] = 0xff
	}
	c.unused()
	return c
}

// PNG encodes the picture.
func (c *Canvas) PNG() ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, c.img); err != nil {
		return nil, fmt.Errorf("cannot encode the picture: %w", err)
	}
	return b.Bytes(), nil
}

func (c *Canvas) unused() { c.top, c.bottom = c.img.Rect.Dy(), 0 }

// outline adds a closed polygon, in pixels.
func (c *Canvas) outline(points []vec) {
	for i := range points {
		c.edge(points[i], points[(i+1)%len(points)])
	}
}

// edge adds one side of a polygon: for every row that it crosses, the part of each pixel that lies right of it. This is the exact
// coverage of a polygon by signed areas, as font rasterisers compute it.
func (c *Canvas) edge(a, b vec) {
	if a.y == b.y {
		return
	}
	direction := float32(1)
	if a.y > b.y {
		a, b, direction = b, a, -1
	}
	slope := (b.x - a.x) / (b.y - a.y)
	first, last := max(0, int(math.Floor(a.y))), min(c.img.Rect.Dy(), int(math.Ceil(b.y)))
	c.top, c.bottom = min(c.top, first), max(c.bottom, last)
	for row := first; row < last; row++ {
		from, to := math.Max(a.y, float64(row)), math.Min(b.y, float64(row+1))
		if to <= from {
			continue
		}
		x0, x1 := a.x+(from-a.y)*slope, a.x+(to-a.y)*slope
		c.span(row, math.Min(x0, x1), math.Max(x0, x1), direction*float32(to-from))
	}
}

// span spreads a height over the pixels of a row between two places.
func (c *Canvas) span(row int, x0, x1 float64, height float32) {
	w := c.img.Rect.Dx()
	line := c.cover[row*(w+1) : (row+1)*(w+1)]
	x0, x1 = math.Min(math.Max(x0, 0), float64(w)), math.Min(math.Max(x1, 0), float64(w))
	i, j := int(x0), int(x1)
	if i == j || i >= w {
		i = min(i, w-1)
		right := float32(1 - ((x0+x1)/2 - float64(i)))
		line[i] += height * right
		line[i+1] += height * (1 - right)
		return
	}
	per := 1 / (x1 - x0)
	covered := float32(0)
	for p := i; p <= min(j, w-1); p++ {
		// the coverage of pixel p: the area right of the edge within it
		l, r := math.Max(x0, float64(p)), math.Min(x1, float64(p+1))
		before := (l - x0) * per
		total := height * float32(before+(r-l)*per*(float64(p+1)-(l+r)/2))
		line[p] += total - covered
		covered = total
	}
	line[min(j, w-1)+1] += height - covered
}

// fill paints what was outlined and forgets it.
func (c *Canvas) fill(ink color.RGBA) {
	w := c.img.Rect.Dx()
	for row := c.top; row < c.bottom; row++ {
		line := c.cover[row*(w+1) : (row+1)*(w+1)]
		sum := float32(0)
		for x := range w {
			sum += line[x]
			line[x] = 0
			if alpha := min(max(sum, -sum), 1); alpha > 1.0/512 {
				c.blend(x, row, ink, alpha)
			}
		}
		line[w] = 0
	}
	c.unused()
}

func (c *Canvas) blend(x, y int, ink color.RGBA, alpha float32) {
	p := c.img.Pix[c.img.PixOffset(x, y):]
	for i, v := range [...]uint8{ink.R, ink.G, ink.B} {
		p[i] = uint8(float32(p[i])*(1-alpha) + float32(v)*alpha + 0.5)
	}
}

// stroke outlines a line along the points, in pixels, with round joins and ends.
func (c *Canvas) stroke(points []vec, width float64) {
	r := width / 2
	q := points[0]
	for _, p := range points {
		c.outline(disc(p, r))
		dx, dy := p.x-q.x, p.y-q.y
		if length := math.Hypot(dx, dy); length > 0 {
			nx, ny := -dy/length*r, dx/length*r
			c.outline([]vec{{q.x - nx, q.y - ny}, {p.x - nx, p.y - ny}, {p.x + nx, p.y + ny}, {q.x + nx, q.y + ny}})
		}
		q = p
	}
}

// disc turns the same way as the sides of a stroke, so that where they overlap nothing is cut out.
func disc(at vec, r float64) []vec {
	const sides = 12
	points := make([]vec, sides)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / sides)
		points[i] = vec{at.x + r*cos, at.y + r*sin}
	}
	return points
}
