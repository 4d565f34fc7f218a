package workload

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// readPrompts reads a file of one JSON object {"prompt": "…"} a line. Blank lines and further fields are ignored.
func readPrompts(path string) ([]string, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("workload.prompt_file: %w; the file must be on the load worker", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	prompts, err := parsePrompts(f)
	if err != nil {
		return nil, fmt.Errorf("workload.prompt_file: %s:%w", path, err)
	}
	return prompts, nil
}

// parsePrompts reads prompts; its errors begin with the number of the line.
func parsePrompts(src io.Reader) ([]string, error) {
	var prompts []string
	in := bufio.NewReader(src)
	for line := 1; ; line++ {
		b, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%d: %w", line, err)
		}
		if b = bytes.TrimSpace(b); len(b) > 0 {
			p, perr := parsePrompt(b)
			if perr != nil {
				return nil, fmt.Errorf("%d: %w", line, perr)
			}
			prompts = append(prompts, p)
		}
		if err != nil {
			break
		}
	}
	if len(prompts) == 0 {
		return nil, errors.New("1: the file holds no prompt")
	}
	return prompts, nil
}

// parsePrompt never quotes the line: prompts do not belong in errors.
func parsePrompt(line []byte) (string, error) {
	var row struct {
		Prompt *string `json:"prompt"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return "", errors.New(`the line is not a JSON object with a string "prompt"`)
	}
	if row.Prompt == nil || *row.Prompt == "" {
		return "", errors.New(`the line has no "prompt", or an empty one`)
	}
	return *row.Prompt, nil
}
