package config

import (
	"maps"
	"slices"
	"strconv"
)

type nodeKind int

const (
	scalarNode nodeKind = iota
	objectNode
	listNode
)

// position counts lines and columns from 1; the zero position is nowhere in the file.
type position struct{ line, column int }

func (p position) known() bool { return p.line > 0 }

// node is a value of the document with its place. Aliases and merges are already resolved in it.
type node struct {
	kind nodeKind
	// pos is where the value stands, key where the name of its field stands.
	pos, key position
	// scalar is a string, bool, int64, uint64 or finite float64; raw is how the file writes it.
	scalar any
	raw    string
	// unquoted marks a scalar in YAML's plain style.
	unquoted bool
	// origin names the environment variable that a value was taken from.
	origin string

	names  []string
	fields map[string]*node
	items  []*node
}

func newObject() *node { return &node{kind: objectNode, fields: map[string]*node{}} }

// set adds or replaces a field and keeps the order in which fields were added.
func (n *node) set(name string, value *node) {
	if _, exists := n.fields[name]; !exists {
		n.names = append(n.names, name)
	}
	n.fields[name] = value
}

// remove takes a field or list entry out of a container. A removed list entry leaves null, so that the others keep
// their position.
func (n *node) remove(element string) {
	switch n.kind {
	case objectNode:
		delete(n.fields, element)
	case listNode:
		if i, err := strconv.Atoi(element); err == nil && i < len(n.items) {
			n.items[i] = &node{}
		}
	}
}

func (n *node) step(element string) *node {
	switch n.kind {
	case objectNode:
		return n.fields[element]
	case listNode:
		if i, err := strconv.Atoi(element); err == nil && i < len(n.items) {
			return n.items[i]
		}
	}
	return nil
}

// find returns the node at a path, or nil.
func (n *node) find(p path) *node {
	for _, e := range p {
		if n = n.step(e); n == nil {
			return nil
		}
	}
	return n
}

// locate returns the place of the value at a path; for a value that the file does not hold, the place of the nearest
// group that should hold it.
func (n *node) locate(p path) position {
	best := position{1, 1}
	for i, e := range p {
		if n = n.step(e); n == nil {
			return best
		}
		if i == len(p)-1 && n.pos.known() {
			return n.pos
		}
		if n.key.known() {
			best = n.key
		}
	}
	return best
}

// source says where a value comes from that the file does not hold; a node that is nil has none.
func (n *node) source() string {
	switch {
	case n == nil || n.pos.known() || n.kind != scalarNode:
		return ""
	case n.origin != "":
		return " (from the environment variable " + n.origin + ")"
	}
	return " (left out, so the default applies)"
}

// plain returns the node as encoding/json would decode it.
func (n *node) plain() any {
	switch n.kind {
	case objectNode:
		m := make(map[string]any, len(n.fields))
		for name, f := range n.fields {
			m[name] = f.plain()
		}
		return m
	case listNode:
		l := make([]any, len(n.items))
		for i, item := range n.items {
			l[i] = item.plain()
		}
		return l
	}
	return n.scalar
}

// fromPlain is the inverse of plain, for values that come from no file.
func fromPlain(value any) *node {
	switch v := value.(type) {
	case map[string]any:
		n := newObject()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			n.set(name, fromPlain(v[name]))
		}
		return n
	case []any:
		n := &node{kind: listNode}
		for _, item := range v {
			n.items = append(n.items, fromPlain(item))
		}
		return n
	}
	return &node{scalar: value}
}

// walk calls visit for the node and everything in it, with the path from the root.
func (n *node) walk(p path, visit func(path, *node)) {
	visit(p, n)
	for _, name := range n.names {
		if f := n.fields[name]; f != nil {
			f.walk(p.child(name), visit)
		}
	}
	for i, item := range n.items {
		item.walk(p.child(i), visit)
	}
}
