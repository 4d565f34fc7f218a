package config

import "strings"

// fillFromEnvironment takes fields that the file leaves out from the environment.
func fillFromEnvironment(root *node, env func(string) (string, bool)) {
	if env == nil {
		return
	}
	for _, e := range fromEnvironment {
		value, ok := env(e.variable)
		if !ok || value == "" {
			continue
		}
		group := root.fields[e.group]
		if group == nil {
			group = newObject()
			root.set(e.group, group)
		}
		if group.kind == objectNode && group.fields[e.field] == nil {
			group.set(e.field, &node{scalar: value, raw: value, origin: e.variable})
		}
	}
}

// applyDefaults fills in every default that applies.
func applyDefaults(root *node) {
	for _, d := range defaults {
		groups, name := d.groups(root)
		for _, group := range groups {
			if group.fields[name] != nil {
				continue
			}
			if v := d.in(group); v != nil {
				group.set(name, fromPlain(v))
			}
		}
	}
}

// in returns the default's value in a group, or nil if there is none.
func (d fieldDefault) in(group *node) any {
	if d.derive != nil {
		return d.derive(group)
	}
	return d.value
}

// groups returns the groups that hold the field, and its name in them.
func (d fieldDefault) groups(root *node) ([]*node, string) {
	elements := strings.Split(d.field, ".")
	groups := []*node{root}
	for _, e := range elements[:len(elements)-1] {
		name, isList := strings.CutSuffix(e, "[]")
		var next []*node
		for _, g := range groups {
			next = append(next, members(g.fields[name], isList)...)
		}
		groups = next
	}
	return groups, elements[len(elements)-1]
}

func members(n *node, isList bool) []*node {
	switch {
	case n == nil:
		return nil
	case isList:
		var objects []*node
		for _, item := range n.items {
			if item.kind == objectNode {
				objects = append(objects, item)
			}
		}
		return objects
	case n.kind == objectNode:
		return []*node{n}
	}
	return nil
}
