// Package badfile says what is wrong with the contents of an input file: all of it, with the line and the field.
package badfile

import (
	"fmt"
	"strings"
)

// MaxProblems is how many problems an error lists; the others are counted.
const MaxProblems = 20

// Problem is one thing that is wrong with a file.
type Problem struct {
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Field is the column or key as the format calls it, empty for the whole line.
	Field   string
	Message string
}

// Error lists what is wrong with a file: the first problems, and how many more there are.
type Error struct {
	Path     string
	Problems []Problem
	More     int
}

// Error has a line for each problem, in the form file:line: field: message.
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Path)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		if p.Field != "" {
			b.WriteString(": " + p.Field)
		}
		b.WriteString(": " + p.Message)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n%s: %s", e.Path, e.rest())
	}
	return b.String()
}

// All are the problems, with a last one for those that are only counted.
func (e *Error) All() []Problem {
	if e.More == 0 {
		return e.Problems
	}
	return append(e.Problems[:len(e.Problems):len(e.Problems)], Problem{Message: e.rest()})
}

func (e *Error) rest() string { return fmt.Sprintf("and %d more", e.More) }

// Add reports a problem.
func (e *Error) Add(line int, field, format string, args ...any) {
	if len(e.Problems) == MaxProblems {
		e.More++
		return
	}
	e.Problems = append(e.Problems, Problem{Line: line, Field: field, Message: fmt.Sprintf(format, args...)})
}

// OrNil is the error if there is a problem.
func (e *Error) OrNil() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}
