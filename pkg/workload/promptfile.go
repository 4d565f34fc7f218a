package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/swapgate/swapgate/pkg/workload/badfile"
	"github.com/swapgate/swapgate/pkg/workload/expect"
)

// filePrompt is one prompt of a file, with its estimated length and what its answer must be; nil where anything will do.
type filePrompt struct {
	text   string
	tokens int
	expect *expect.Expectation
}

// readPrompts reads a file of one JSON object {"prompt": "…"} a line, which may have an expectation "expect". Blank lines and
// further fields are ignored.
func readPrompts(path string) ([]filePrompt, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("workload.prompt_file: %w; the file must be on the load worker", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	return parsePrompts(f, path)
}

// PromptFile is what is known of a file of prompts beforehand.
type PromptFile struct {
	// LongestTokens is the estimated length of the longest prompt.
	LongestTokens int
	// Prompts is how many there are, and Expecting how many of them say what a good answer is.
	Prompts, Expecting int
}

// ReadPromptFile reads a file of prompts. What is wrong with the contents is a *badfile.Error.
func ReadPromptFile(path string) (f PromptFile, err error) {
	prompts, err := readPrompts(path)
	f.Prompts = len(prompts)
	for _, p := range prompts {
		f.LongestTokens = max(f.LongestTokens, p.tokens)
		if p.expect != nil {
			f.Expecting++
		}
	}
	return f, err
}

// parsePrompts reads prompts. What is wrong with their lines is a *badfile.Error.
func parsePrompts(src io.Reader, path string) ([]filePrompt, error) {
	var prompts []filePrompt
	wrong := &badfile.Error{Path: path}
	in := bufio.NewReader(src)
	for line := 1; ; line++ {
		b, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("workload.prompt_file: %s:%d: %w", path, line, err)
		}
		if b = bytes.TrimSpace(b); len(b) > 0 {
			prompts = append(prompts, parsePrompt(b, line, wrong))
		}
		if err != nil {
			break
		}
	}
	if len(prompts) == 0 {
		wrong.Add(0, "", "the file holds no prompt")
	}
	if err := wrong.OrNil(); err != nil {
		return nil, err
	}
	return prompts, nil
}

// parsePrompt never quotes the line: prompts do not belong in errors.
func parsePrompt(text []byte, line int, wrong *badfile.Error) (p filePrompt) {
	const key = "prompt"
	var row struct {
		Prompt json.RawMessage `json:"prompt"`
		Expect json.RawMessage `json:"expect"`
	}
	if json.Unmarshal(text, &row) != nil {
		wrong.Add(line, "", `the line is not a JSON object {"prompt": "…"}`)
		return p
	}
	var prompt *string
	switch err := json.Unmarshal(row.Prompt, &prompt); {
	case row.Prompt == nil, err == nil && prompt == nil:
		wrong.Add(line, key, "is missing")
	case err != nil:
		wrong.Add(line, key, "must be text")
	case *prompt == "":
		wrong.Add(line, key, "is empty")
	default:
		p.text, p.tokens = *prompt, tokensOf(*prompt)
	}
	if row.Expect != nil && string(row.Expect) != "null" {
		expected, err := expect.Parse(row.Expect)
		if err != nil {
			wrong.Add(line, "expect", "%v", err)
		}
		p.expect = expected
	}
	return p
}
