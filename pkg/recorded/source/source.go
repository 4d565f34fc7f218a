// Package source finds out what a file or folder holds and reads it: runs of other tools, and recordings of our own.
package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/recorded/aiperf"
	"github.com/swapgate/swapgate/pkg/recorded/guidellm"
	"github.com/swapgate/swapgate/pkg/recorded/inferenceperf"
	"github.com/swapgate/swapgate/pkg/recorded/llmperf"
	"github.com/swapgate/swapgate/pkg/recorded/own"
	"github.com/swapgate/swapgate/pkg/recorded/vllm"
)

// Auto stands for the format that a file's content shows.
const Auto = "auto"

// Formats lists what can be read, Auto first.
func Formats() []string {
	return []string{Auto, own.Tool, vllm.Tool, aiperf.Tool, guidellm.Tool, inferenceperf.Tool, llmperf.Tool}
}

// beginning is how much of a file is looked at to see whether there is anything in it.
const beginning = 512

// kind is one sort of file.
type kind struct {
	format string
	// part tells the files of one format apart.
	part string
}

// The parts that need telling apart.
const (
	partRequests = "requests"
	partSummary  = "summary"
)

const whatIsRead = "a result of vllm bench (--save-result), AIPerf (profile_export.jsonl), GuideLLM (JSON report), inference-perf " +
	"(folder of lifecycle metrics) or LLMPerf, or raw data of swapgate"

// Detect tells a file's kind by the beginning of its content.
func Detect(file string, content io.Reader) (format, part string, err error) {
	k, err := detect(file, content)
	return k.format, k.part, err
}

func detect(file string, content io.Reader) (kind, error) {
	text := recorded.SkipMark(io.LimitReader(content, recorded.MostDocumentBytes))
	if start, _ := text.Peek(beginning); len(start) < beginning || start[0] == '\x1f' { // else it is surely not empty
		if err := recorded.Packed(file, start); err != nil {
			return kind{}, err
		}
	}
	dec := json.NewDecoder(text)
	first, err := dec.Token()
	if err != nil {
		return kind{}, unknown(file, "is not JSON")
	}
	switch first {
	case json.Delim('['):
		var element map[string]json.RawMessage
		if !dec.More() || dec.Decode(&element) != nil {
			return kind{}, unknown(file, "is a list of nothing that is known")
		}
		switch {
		case llmperf.Detect(element):
			return kind{llmperf.Tool, partRequests}, nil
		case inferenceperf.DetectRequest(element):
			return kind{inferenceperf.Tool, partRequests}, nil
		}
		return kind{}, unknown(file, "is a list of "+named(element))
	case json.Delim('{'):
		return detectObject(file, dec)
	}
	return kind{}, unknown(file, "is neither a JSON object nor a list")
}

func detectObject(file string, dec *json.Decoder) (kind, error) {
	fields := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		if text, ok := name.(string); ok {
			fields[text] = json.RawMessage("0") // that it is there is enough
		}
	}
	switch {
	case vllm.Detect(fields):
		return kind{vllm.Tool, ""}, nil
	case aiperf.Detect(fields):
		return kind{aiperf.Tool, partSummary}, nil
	case guidellm.Detect(fields):
		return kind{guidellm.Tool, ""}, nil
	case inferenceperf.Detect(fields):
		return kind{inferenceperf.Tool, partSummary}, nil
	case llmperf.DetectSummary(fields):
		return kind{llmperf.Tool, partSummary}, nil
	case aiperf.DetectLine(fields):
		return kind{aiperf.Tool, partRequests}, nil
	}
	return kind{}, unknown(file, "is an object of "+named(fields))
}

func unknown(file, what string) error {
	return recorded.Fault(file, "give "+whatIsRead, "%s, which is no result that is known", what)
}

// named lists a few fields, so that a person sees what was taken for a result.
func named(fields map[string]json.RawMessage) string {
	var names []string
	for name := range fields {
		names = append(names, fmt.Sprintf("%.30q", name))
	}
	slices.Sort(names)
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	if len(names) == 0 {
		return "no field"
	}
	return strings.Join(names, ", ")
}

// Read reads a run of another tool from a file or a folder. Recordings of our own are read by package own.
func Read(path, format string) (recorded.Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return recorded.Run{}, err
	}
	read := readFile
	if info.IsDir() {
		read = readFolder
	}
	run, err := read(path, format)
	run.Name = filepath.Clean(path)
	return run, err
}

func readFile(path, format string) (recorded.Run, error) {
	k, err := kindOf(path)
	if err != nil {
		return recorded.Run{}, err
	}
	if format != Auto && format != k.format {
		return recorded.Run{}, recorded.Fault(path, "leave --format out, or give another file", "is a result of %s, not of %s", k.format, format)
	}
	switch k {
	case kind{aiperf.Tool, partRequests}:
		return readAIPerf(beside(path, "profile_export_aiperf.json", kind{aiperf.Tool, partSummary}), path)
	case kind{aiperf.Tool, partSummary}:
		return readAIPerf(path, beside(path, "profile_export.jsonl", kind{aiperf.Tool, partRequests}))
	case kind{llmperf.Tool, partRequests}:
		return readLLMPerf(path, besideLLMPerf(path))
	case kind{llmperf.Tool, partSummary}:
		return readLLMPerf("", path)
	case kind{inferenceperf.Tool, partRequests}, kind{inferenceperf.Tool, partSummary}:
		return readInferencePerf(path, []string{path})
	case kind{vllm.Tool, ""}:
		return opened(path, vllm.Read)
	}
	return opened(path, guidellm.Read)
}

func kindOf(path string) (kind, error) {
	file, err := os.Open(path) //nolint:gosec // G304: a person names the file
	if err != nil {
		return kind{}, err
	}
	defer func() { _ = file.Close() }()
	return detect(path, file)
}

func opened(path string, read func(string, io.Reader) (recorded.Run, error)) (recorded.Run, error) {
	file, err := os.Open(path) //nolint:gosec // G304: a person names the file
	if err != nil {
		return recorded.Run{}, err
	}
	defer func() { _ = file.Close() }()
	return read(path, file)
}

// beside is a file of that name and kind in the same folder; empty where there is none.
func beside(path, name string, want kind) string {
	other := filepath.Join(filepath.Dir(path), name)
	if k, err := kindOf(other); err != nil || k != want {
		return ""
	}
	return other
}

// besideLLMPerf is the summary that belongs to individual responses by its name.
func besideLLMPerf(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{"_individual_responses.json", "_individual.json"} {
		if stem, ok := strings.CutSuffix(name, suffix); ok {
			return beside(path, stem+"_summary.json", kind{llmperf.Tool, partSummary})
		}
	}
	return ""
}

func readAIPerf(summary, requests string) (recorded.Run, error) {
	var records *aiperf.Records
	if requests != "" {
		var read aiperf.Records
		_, err := opened(requests, func(name string, r io.Reader) (_ recorded.Run, err error) {
			read, err = aiperf.ReadRecords(name, r)
			return recorded.Run{}, err
		})
		if err != nil {
			return recorded.Run{}, err
		}
		records = &read
	}
	if summary == "" {
		return records.Run(), nil
	}
	return opened(summary, func(name string, r io.Reader) (recorded.Run, error) { return aiperf.Read(name, r, records) })
}

func readLLMPerf(individual, summary string) (recorded.Run, error) {
	read := func(path string) (io.Reader, error) {
		if path == "" {
			return nil, nil //nolint:nilnil // no file, no reader
		}
		data, err := readBounded(path)
		return bytes.NewReader(data), err
	}
	requests, err := read(individual)
	summaries, err2 := read(summary)
	if err := errors.Join(err, err2); err != nil {
		return recorded.Run{}, err
	}
	return llmperf.Read(individual, requests, summary, summaries)
}

// readBounded reads a file of no more than a document may have; a longer one is cut and refused by whoever decodes it.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // G304: a person names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, recorded.MostDocumentBytes+1))
}

func readInferencePerf(name string, paths []string) (recorded.Run, error) {
	var files []inferenceperf.File
	for _, path := range paths {
		data, err := readBounded(path)
		if err != nil {
			return recorded.Run{}, err
		}
		base := filepath.Base(path)
		if base != inferenceperf.PerRequestName && bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff"))), []byte("[")) {
			base = inferenceperf.PerRequestName // a renamed file of requests
		}
		files = append(files, inferenceperf.File{Base: base, Name: path, Content: bytes.NewReader(data)})
	}
	return inferenceperf.Read(name, files)
}
