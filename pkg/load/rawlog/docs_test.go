package rawlog

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The columns are a contract with whoever reads the files, so docs/raw-data.md has all of them, and all profiles.
func TestColumnsAndProfilesAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../../docs/raw-data.md")
	require.NoError(t, err)
	doc := string(b)
	require.Contains(t, doc, "(schema `"+Schema+"`)")
	_, table, found := strings.Cut(doc, "## Columns of")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	record := reflect.TypeFor[Record]()
	for i := range record.NumField() {
		column, _, _ := strings.Cut(record.Field(i).Tag.Get("parquet"), ",")
		require.NotEmpty(t, column, record.Field(i).Name)
		if column == "-" {
			continue
		}
		require.Regexp(t, "(?m)^\\|.*`"+column+"`.* \\| .*\\| .* \\|$", table, column)
	}
	for _, p := range Profiles() {
		require.Contains(t, doc, "| `"+p.Name+"` | ")
	}
}
