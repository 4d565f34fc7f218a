package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/recorded/aiperf"
	"github.com/swapgate/swapgate/pkg/recorded/inferenceperf"
)

// mostInFolder bounds what is looked at in a folder.
const mostInFolder = 10_000

// readFolder reads the one result that a folder holds.
func readFolder(folder, format string) (recorded.Run, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return recorded.Run{}, err
	}
	if len(entries) > mostInFolder {
		return recorded.Run{}, recorded.Fault(folder, "name the file", "holds more than %d files", mostInFolder)
	}
	var stages, results []string
	for _, e := range entries {
		name, path := e.Name(), filepath.Join(folder, e.Name())
		switch {
		case e.IsDir():
		case inferenceperf.StageName.MatchString(name), name == inferenceperf.SummaryName, name == inferenceperf.PerRequestName:
			stages = append(stages, path)
		case strings.HasSuffix(name, ".json"), strings.HasSuffix(name, ".jsonl"):
			results = append(results, path)
		}
	}
	if len(stages) > 0 && (format == Auto || format == inferenceperf.Tool) {
		return readInferencePerf(folder, stages)
	}
	found := resultsIn(results, format)
	switch len(found) {
	case 0:
		return recorded.Run{}, recorded.Fault(folder, "give "+whatIsRead, "holds no result that is known")
	case 1:
		return readFile(found[0], format)
	}
	return recorded.Run{}, recorded.Fault(folder, "name the file", "holds several results: %s", listed(found))
}

// resultsIn keeps the files that hold a result. Two files of one AIPerf run are one.
func resultsIn(paths []string, format string) []string {
	var found []string
	aiperfRun := false
	for _, path := range paths {
		k, err := kindOf(path)
		if err != nil || format != Auto && format != k.format {
			continue
		}
		if k.format == aiperf.Tool {
			name := filepath.Base(path)
			if (name == "profile_export.jsonl" || name == "profile_export_aiperf.json") && aiperfRun {
				continue
			}
			aiperfRun = true
		}
		if k.part == partSummary && slices.ContainsFunc(paths, func(p string) bool { return p != path && besideLLMPerf(p) == path }) {
			continue // read with its individual responses
		}
		found = append(found, path)
	}
	return found
}

func listed(paths []string) string {
	names := make([]string, 0, len(paths))
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	return strings.Join(names, ", ")
}
