package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

const emptyFile = "is empty; it needs at least target, baseline and candidate (see docs/configuration.md)"

// readDocument parses the one YAML document of a file.
func readDocument(file string, data []byte) (*yaml.Node, error) {
	if line, found := controlCharacter(data); found {
		return nil, syntaxError(file, position{line, 1}, "holds a control character; remove it")
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, fileError(file, err, "cannot be read: %v", err)
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, fileError(file, nil, emptyFile)
	case err != nil:
		return nil, asSyntaxError(file, err)
	}
	if len(first.Content) != 1 || first.Content[0].ShortTag() == "!!null" {
		return nil, fileError(file, nil, emptyFile)
	}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
		return first.Content[0], nil
	case err != nil:
		return nil, asSyntaxError(file, err)
	}
	return nil, syntaxError(file, position{second.Line, second.Column},
		"a second YAML document begins here; keep one document in a file")
}

// syntaxAdvice explains the messages of the YAML parser that people meet most.
var syntaxAdvice = []struct{ fragment, advice string }{
	{"mapping values are not allowed", "check the indentation, or put the text in quotes if it holds a colon"},
	{"incompatible YAML document", "delete the %YAML line"},
	{"tab character", "indent with spaces"},
	{"cannot start any token", "indent with spaces instead of tabs, and put text that starts with @, ` or % in quotes"},
	{"did not find expected key", "check the indentation and the quotes"},
	{"did not find expected '-'", "check the indentation of the list"},
	{"did not find expected ','", "a list in [ ] or a group in { } is not closed"},
	{"unexpected end of stream", "a quote is not closed"},
	{"unknown anchor", "define it with & before it is used"},
}

func asSyntaxError(file string, err error) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return fileError(file, nil, "is not valid YAML: %v", err)
	}
	message := "is not valid YAML: " + shorten(load.Message)
	if strings.Contains(load.Message, "anchor") {
		message = "is not valid YAML: unknown anchor"
	}
	for _, a := range syntaxAdvice {
		if strings.Contains(load.Message, a.fragment) {
			message += "; " + a.advice
			break
		}
	}
	at := load.Mark
	if openedBefore.MatchString(load.ContextMsg) && load.ContextMark.Line > 0 {
		at = load.ContextMark
	}
	return syntaxError(file, position{at.Line, at.Column}, message)
}

// openedBefore matches faults that the parser meets far behind their cause: what was opened and not closed.
var openedBefore = regexp.MustCompile(`quoted scalar|flow (sequence|mapping)`)

func syntaxError(file string, pos position, message string) *Error {
	return &Error{Problems: []Problem{{File: file, Line: pos.line, Column: pos.column, Message: message}}}
}

var control = regexp.MustCompile(`[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]`)

// controlCharacter finds the line of the first control character, which the YAML reader would refuse without a place.
func controlCharacter(data []byte) (line int, found bool) {
	at := control.FindIndex(data)
	if at == nil {
		return 0, false
	}
	return 1 + bytes.Count(data[:at[0]], []byte("\n")), true
}
