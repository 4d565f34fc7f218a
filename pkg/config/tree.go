package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxNodes bounds a document after its aliases are resolved, so that nested aliases cannot blow it up.
const maxNodes = 100_000

// treeBuilder turns YAML nodes into a tree without aliases, merges and duplicates.
type treeBuilder struct {
	*reporter
	nodes int
	open  map[*yaml.Node]bool
}

func buildTree(r *reporter, doc *yaml.Node) *node {
	b := &treeBuilder{reporter: r, open: map[*yaml.Node]bool{}}
	root := b.build(doc, nil)
	if root == nil {
		return newObject()
	}
	return root
}

// build returns nil for a value that was reported.
func (b *treeBuilder) build(y *yaml.Node, p path) *node {
	y, ok := b.resolve(y, p)
	if !ok {
		return nil
	}
	if b.open[y] {
		return b.refuse(y, p, "the alias refers to a value that holds it")
	}
	b.open[y] = true
	defer delete(b.open, y)
	switch y.Kind {
	case yaml.MappingNode:
		return b.object(y, p)
	case yaml.SequenceNode:
		return b.list(y, p)
	default:
		return b.scalar(y, p)
	}
}

func (b *treeBuilder) resolve(y *yaml.Node, p path) (*yaml.Node, bool) {
	if b.nodes++; b.nodes > maxNodes {
		if b.nodes == maxNodes+1 {
			b.refuse(y, nil, "the document grows too large when its aliases are resolved")
		}
		return nil, false
	}
	if y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	if tag := y.ShortTag(); y.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(tag, "!!") {
		b.refuse(y, p, fmt.Sprintf("YAML tags such as %s are not supported", shorten(tag)))
		return nil, false
	}
	return y, true
}

func (b *treeBuilder) refuse(y *yaml.Node, p path, message string) *node {
	b.add(p, place(y), p.String(), message)
	return nil
}

func place(y *yaml.Node) position { return position{y.Line, y.Column} }

func (b *treeBuilder) object(y *yaml.Node, p path) *node {
	n := newObject()
	n.pos, n.key = place(y), place(y)
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, b.merged(value, p)...)
			continue
		}
		b.field(n, key, value, p)
	}
	for _, m := range merged {
		for _, name := range m.names {
			if _, own := n.fields[name]; !own {
				n.set(name, m.fields[name])
			}
		}
	}
	return n
}

// field adds one field. A field whose value was reported is kept out of the object.
func (b *treeBuilder) field(n *node, key, value *yaml.Node, p path) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
		b.add(p.child(fmt.Sprintf("line %d", key.Line)), place(key), p.String(), "the name of a field must be plain text")
		return
	}
	child := p.child(key.Value)
	if first := n.fields[key.Value]; first != nil {
		b.add(child, place(key), p.String(),
			fmt.Sprintf("the field %s is given twice; the first is on line %d", showName(key.Value), first.key.line))
		return
	}
	if v := b.build(value, child); v != nil {
		v.key = place(key)
		n.set(key.Value, v)
	}
}

// merged returns the objects behind a merge key (<<: *name or <<: [*a, *b]).
func (b *treeBuilder) merged(value *yaml.Node, p path) []*node {
	built := b.build(value, p)
	switch {
	case built == nil:
		return nil
	case built.kind == objectNode:
		return []*node{built}
	case built.kind == listNode && allObjects(built.items):
		return built.items
	}
	b.refuse(value, p.child("<<"), "a merge key needs a group of fields")
	return nil
}

func allObjects(items []*node) bool {
	for _, item := range items {
		if item.kind != objectNode {
			return false
		}
	}
	return true
}

func (b *treeBuilder) list(y *yaml.Node, p path) *node {
	n := &node{kind: listNode, pos: place(y), key: place(y)}
	for i, item := range y.Content {
		v := b.build(item, p.child(i))
		if v == nil {
			v = &node{pos: place(item), key: place(item)}
		}
		v.key = v.pos
		n.items = append(n.items, v)
	}
	return n
}
