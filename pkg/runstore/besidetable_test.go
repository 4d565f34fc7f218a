package runstore

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheMeasuredTimeIsInTheSealBesideATable(t *testing.T) {
	for name, c := range map[string]struct {
		seal string
		want time.Duration
	}{
		"no seal":           {"", 0},
		"a seal":            {`{"attempt":"a","result":{"measured_ms":30000}}`, 30 * time.Second},
		"a broken seal":     {`{"attempt":`, 0},
		"a seal without it": {`{"attempt":"a"}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			block := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(block, "a"), 0o700))
			if c.seal != "" {
				require.NoError(t, os.WriteFile(filepath.Join(block, "sealed.json"), []byte(c.seal), 0o600))
			}
			got, ok := MeasuredTimeOf(filepath.Join(block, "a", "requests.parquet"))
			require.Equal(t, c.want, got)
			require.Equal(t, c.want > 0, ok)
		})
	}
}
