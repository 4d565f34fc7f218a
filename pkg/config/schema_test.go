package config

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the generated schemas and the reference in docs/configuration.md")

func TestSchemaIsGeneratedFromTheTypes(t *testing.T) {
	for _, s := range []struct {
		file     string
		embedded []byte
		generate func(*testing.T) []byte
	}{
		{"swap.json", Schema(), generateSpecSchema},
		{"verdict.json", VerdictSchema(), generateVerdictSchema},
	} {
		t.Run(s.file, func(t *testing.T) {
			want := s.generate(t)
			if *update {
				require.NoError(t, os.WriteFile("schema/"+s.file, want, 0o600))
				require.NoError(t, os.MkdirAll("../../docs/schema", 0o750))
				require.NoError(t, os.WriteFile("../../docs/schema/"+s.file, want, 0o600))
				return
			}
			const stale = "run: go test ./pkg/config -run TestSchema -update"
			require.Equal(t, string(want), string(s.embedded), stale)
			published, err := os.ReadFile("../../docs/schema/" + s.file)
			require.NoError(t, err, stale)
			require.Equal(t, string(want), string(published), stale)
		})
	}
}
