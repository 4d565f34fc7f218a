package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a configuration file.
type Problem struct {
	File string
	// Line and Column count from 1; 0 is the file, or the line, as a whole.
	Line   int
	Column int
	// Field is the path of the field, such as load.steps[1].rate; empty for the file as a whole.
	Field string
	// Message says what is wrong and what would be right. It holds no secret.
	Message string
}

// String formats the problem as file:line:column: field: message, without what there is not.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	if p.Field != "" {
		b.WriteString(": " + p.Field)
	}
	b.WriteString(": " + p.Message)
	return b.String()
}

// Error lists every problem of a configuration file, in the order of the file.
type Error struct {
	Problems []Problem
	cause    error
}

// Error returns one line for each problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the error of the operating system, where there is one.
func (e *Error) Unwrap() error { return e.cause }

// fileError is a fault of the file as a whole.
func fileError(file string, cause error, format string, args ...any) *Error {
	return &Error{Problems: []Problem{{File: file, Message: fmt.Sprintf(format, args...)}}, cause: cause}
}

func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}
