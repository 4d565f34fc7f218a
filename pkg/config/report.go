package config

import "fmt"

// reporter collects problems. Once a value is reported, later problems of it, of what it holds and of what holds it are
// dropped: they would only be consequences.
type reporter struct {
	file     string
	root     *node
	problems []Problem
	bad      []path
}

// spoiled reports whether a problem with any of these values is known.
func (r *reporter) spoiled(paths ...path) bool {
	for _, p := range paths {
		for _, b := range r.bad {
			if p.related(b) {
				return true
			}
		}
	}
	return false
}

// value reports a problem of the value at p.
func (r *reporter) value(p path, format string, args ...any) {
	r.valueUsing(p, nil, format, args...)
}

// valueUsing reports a problem of the value at p that was found with the help of other values; it is dropped when one of
// them is bad.
func (r *reporter) valueUsing(p path, using []path, format string, args ...any) {
	if r.spoiled(p) || r.spoiled(using...) {
		return
	}
	message := fmt.Sprintf(format, args...) + r.root.find(p).source()
	r.add(p, r.root.locate(p), p.String(), message)
}

// name reports a problem of a field's name, in the group that holds it.
func (r *reporter) name(group path, name string, pos position, message string) {
	if !r.spoiled(group.child(name)) {
		r.add(group.child(name), pos, group.String(), message)
	}
}

// add reports without looking for an earlier problem.
func (r *reporter) add(bad path, pos position, field, message string) {
	r.bad = append(r.bad, bad)
	r.problems = append(r.problems, Problem{
		File: r.file, Line: pos.line, Column: pos.column, Field: field, Message: message,
	})
}

// discard removes every reported value from the document, so that the rest can still be checked.
func (r *reporter) discard() {
	for _, p := range r.bad {
		if len(p) == 0 {
			continue
		}
		if group := r.root.find(p[:len(p)-1]); group != nil {
			group.remove(p[len(p)-1])
		}
	}
}

func (r *reporter) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	sortProblems(r.problems)
	return &Error{Problems: r.problems}
}
