package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	for _, s := range reporttest.All() {
		for ending, render := range map[string]func(report.Data) ([]byte, error){
			"html": report.HTML,
			"json": func(d report.Data) ([]byte, error) { return report.JSON(d.Verdict) },
			"xml":  func(d report.Data) ([]byte, error) { return report.JUnit(d.Verdict) },
			"md":   func(d report.Data) ([]byte, error) { return report.Markdown(d.Verdict), nil },
			"txt":  func(d report.Data) ([]byte, error) { return report.Text(d.Verdict, 80, false), nil },
			"ansi": func(d report.Data) ([]byte, error) { return report.Text(d.Verdict, 48, true), nil },
		} {
			t.Run(s.Name+"."+ending, func(t *testing.T) {
				got, err := render(s.Data)
				require.NoError(t, err)
				again, err := render(s.Data)
				require.NoError(t, err)
				require.Equal(t, string(got), string(again), "the same data gives the same bytes")
				requireGolden(t, s.Name+"."+ending, got)
			})
		}
	}
}

func requireGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs from its golden file (-want +got); run with -update if that is right:\n%s", name, diff)
	}
}
