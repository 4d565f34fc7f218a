package recorded

import (
	"fmt"
	"strings"
)

// mostProblems is how many problems of a file are told one by one.
const mostProblems = 20

// Error is everything that is wrong with a recorded run.
type Error struct {
	// File is what was read.
	File     string
	Problems []Problem
	// More counts the problems that are not listed.
	More int
}

// Problem is one thing that is wrong, where it is, and what to do about it.
type Problem struct {
	// Line counts from 1; 0 where there is none.
	Line int
	// Field is the path of the field, such as requests[3].ttft_s; it may be empty.
	Field   string
	Message string
	// Next is what a person can do.
	Next string
}

func (e *Error) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, e.File+p.where()+": "+p.Message)
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more problems", e.File, e.More))
	}
	return strings.Join(lines, "\n")
}

// Next lists what can be done, each thing once.
func (e *Error) Next() []string {
	var next []string
	seen := map[string]bool{}
	for _, p := range e.Problems {
		if p.Next != "" && !seen[p.Next] {
			seen[p.Next] = true
			next = append(next, p.Next)
		}
	}
	return next
}

func (p Problem) where() string {
	where := ""
	if p.Line > 0 {
		where = fmt.Sprintf(":%d", p.Line)
	}
	if p.Field != "" {
		where += ": " + p.Field
	}
	return where
}

// Problems collects what is wrong with one file.
type Problems struct {
	err Error
	// Line is added to every problem.
	Line int
}

// NewProblems has none yet.
func NewProblems(file string) *Problems { return &Problems{err: Error{File: file}} }

// Add notes a problem of a field.
func (p *Problems) Add(field, next, format string, args ...any) {
	if len(p.err.Problems) == mostProblems {
		p.err.More++
		return
	}
	p.err.Problems = append(p.err.Problems, Problem{Line: p.Line, Field: field, Message: fmt.Sprintf(format, args...), Next: next})
}

// Err is nil where there is no problem.
func (p *Problems) Err() error {
	if len(p.err.Problems) == 0 {
		return nil
	}
	return &p.err
}

// Fault is an error with one problem.
func Fault(file, next, format string, args ...any) error {
	p := NewProblems(file)
	p.Add("", next, format, args...)
	return p.Err()
}
