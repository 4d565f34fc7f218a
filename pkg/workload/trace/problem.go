package trace

import (
	"fmt"
	"strings"
)

// maxProblems is how many problems an error lists; the others are counted.
const maxProblems = 20

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
		fmt.Fprintf(&b, "\n%s: and %d more", e.Path, e.More)
	}
	return b.String()
}

func (e *Error) add(line int, field, format string, args ...any) {
	if len(e.Problems) == maxProblems {
		e.More++
		return
	}
	e.Problems = append(e.Problems, Problem{Line: line, Field: field, Message: fmt.Sprintf(format, args...)})
}

// orNil is the error if there is a problem.
func (e *Error) orNil() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}
