package config

import (
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

// CheckFiles reads the prompt file and the recordings that a specification names, as far as they are on this machine. Every problem
// of their contents is in the returned *Error. missing are the files that are not here: load workers have copies of their own.
func CheckFiles(spec swap.Spec) (missing []string, err error) {
	files := inputs.Read(spec)
	var problems []Problem
	for _, wrong := range files.Faults {
		for _, p := range wrong.All() {
			problems = append(problems, Problem{File: wrong.Path, Line: p.Line, Field: p.Field, Message: p.Message})
		}
	}
	if len(problems) > 0 {
		return files.Missing, &Error{Problems: problems}
	}
	return files.Missing, nil
}
