package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// path leads from the root of a document to a value: names of fields, and positions in lists as decimal numbers.
type path []string

// at builds a path from names and list positions.
func at(elements ...any) path {
	p := make(path, len(elements))
	for i, e := range elements {
		p[i] = fmt.Sprint(e)
	}
	return p
}

func (p path) child(element any) path {
	return append(p[:len(p):len(p)], fmt.Sprint(element))
}

var simpleName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// String formats the path as a person writes it: load.steps[1].rate.
func (p path) String() string {
	var b strings.Builder
	for _, e := range p {
		switch {
		case isIndex(e):
			b.WriteString("[" + e + "]")
		case !simpleName.MatchString(e):
			fmt.Fprintf(&b, "[%q]", e)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(e)
		}
	}
	return b.String()
}

// field is the path with list positions left open, load.steps[].rate: the name under which defaults and ranges are kept.
func (p path) field() string {
	var b strings.Builder
	for i, e := range p {
		switch {
		case isIndex(e):
			b.WriteString("[]")
		case i > 0:
			b.WriteString("." + e)
		default:
			b.WriteString(e)
		}
	}
	return b.String()
}

// related reports whether one of the paths lies on the way to the other.
func (p path) related(other path) bool {
	for i := range min(len(p), len(other)) {
		if p[i] != other[i] {
			return false
		}
	}
	return true
}

func isIndex(element string) bool {
	_, err := strconv.ParseUint(element, 10, 31)
	return err == nil
}
