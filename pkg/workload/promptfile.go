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
)

// readPrompts reads a file of one JSON object {"prompt": "…"} a line. Blank lines and further fields are ignored.
func readPrompts(path string) ([]string, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("workload.prompt_file: %w; the file must be on the load worker", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	return parsePrompts(f, path)
}

// LongestPrompt reads a file of prompts and returns the estimated length in tokens of the longest. What is wrong with the
// contents is a *badfile.Error.
func LongestPrompt(path string) (tokens int, err error) {
	prompts, err := readPrompts(path)
	for _, p := range prompts {
		tokens = max(tokens, tokensOf(p))
	}
	return tokens, err
}

// parsePrompts reads prompts. What is wrong with their lines is a *badfile.Error.
func parsePrompts(src io.Reader, path string) ([]string, error) {
	var prompts []string
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
func parsePrompt(text []byte, line int, wrong *badfile.Error) string {
	const key = "prompt"
	var row struct {
		Prompt json.RawMessage `json:"prompt"`
	}
	if json.Unmarshal(text, &row) != nil {
		wrong.Add(line, "", `the line is not a JSON object {"prompt": "…"}`)
		return ""
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
		return *prompt
	}
	return ""
}
