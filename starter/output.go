package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	formatText = "text"
	formatJSON = "json"
)

// verdictFormats write a verdict for an output of the given console.
var verdictFormats = map[string]func(swap.Verdict, *console) ([]byte, error){
	formatText: func(v swap.Verdict, to *console) ([]byte, error) {
		width, _ := to.size()
		return report.Text(v, width, to.colour), nil
	},
	formatJSON: func(v swap.Verdict, _ *console) ([]byte, error) { return report.JSON(v) },
	"junit":    func(v swap.Verdict, _ *console) ([]byte, error) { return report.JUnit(v) },
	"markdown": func(v swap.Verdict, _ *console) ([]byte, error) { return report.Markdown(v), nil },
}

// verdictOutput says in which formats a verdict leaves the command.
type verdictOutput struct {
	format string
	writes []string
	files  []verdictFile
}

type verdictFile struct{ format, path string }

func (o *verdictOutput) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.format, "output", "o", formatText, "format of the verdict on standard output: "+verdictFormatNames())
	cmd.Flags().StringArrayVar(&o.writes, "write", nil, "also write the verdict to a file, as FORMAT=PATH; may be repeated")
}

// check finds what is wrong with the flags before a run is started for them.
func (o *verdictOutput) check() error {
	if err := checkVerdictFormat(o.format); err != nil {
		return err
	}
	for _, w := range o.writes {
		format, path, ok := strings.Cut(w, "=")
		if !ok || path == "" {
			return &usageError{err: fmt.Errorf("--write %q: want FORMAT=PATH, such as junit=swapgate.xml", w)}
		}
		if err := checkVerdictFormat(format); err != nil {
			return err
		}
		if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
			return &usageError{err: fmt.Errorf("--write %q: there is no folder %s", w, filepath.Dir(path))}
		}
		o.files = append(o.files, verdictFile{format: format, path: path})
	}
	return nil
}

func verdictFormatNames() string { return strings.Join(slices.Sorted(maps.Keys(verdictFormats)), ", ") }

func checkVerdictFormat(format string) error {
	if _, ok := verdictFormats[format]; ok {
		return nil
	}
	return &usageError{err: fmt.Errorf("unknown format %q: use one of %s", format, verdictFormatNames())}
}

// deliver writes the verdict everywhere and returns the error that carries its exit code.
func (o *verdictOutput) deliver(stdout io.Writer, v swap.Verdict) error {
	to, ok := stdout.(*console)
	if !ok {
		to = &console{Writer: stdout}
	}
	b, err := verdictFormats[o.format](v, to)
	if err == nil {
		_, err = stdout.Write(b)
	}
	for _, f := range o.files {
		if err == nil {
			err = f.write(v)
		}
	}
	if err != nil {
		return fmt.Errorf("hand out the verdict (%s) of %s: %w", v.Verdict, v.Target, err)
	}
	if code := verdictCode(v.Verdict); code != exitPass {
		return &exitError{code: code}
	}
	return nil
}

func (f verdictFile) write(v swap.Verdict) error {
	b, err := verdictFormats[f.format](v, &console{})
	if err != nil {
		return err
	}
	//nolint:gosec // G306: a verdict holds no secret, and other steps of the pipeline must read it
	return os.WriteFile(f.path, b, 0o644)
}

// textOrJSON adds the --output flag of commands whose result is not a verdict.
func textOrJSON(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVarP(format, "output", "o", formatText, "format on standard output: json, text")
}

func checkTextOrJSON(format string) error {
	if format == formatText || format == formatJSON {
		return nil
	}
	return &usageError{err: fmt.Errorf("unknown format %q: use json or text", format)}
}

// print writes v as JSON, or text where that is asked for.
func (a *app) print(format string, v any, text string) error {
	if format == formatText {
		_, err := io.WriteString(a.out, text)
		return err
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
