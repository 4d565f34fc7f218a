package pressure

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// BenchmarkReading reads the usage from a page of 200 KB, without the network.
func BenchmarkReading(b *testing.B) {
	var page strings.Builder
	for i := 0; page.Len() < 200<<10; i++ {
		fmt.Fprintf(&page, "# HELP vllm:family_%d Histogram of something in seconds.\n# TYPE vllm:family_%d histogram\n", i, i)
		for bucket := range 20 {
			fmt.Fprintf(&page, "vllm:family_%d_bucket{engine=\"0\",le=\"%d.0\",model_name=\"m\"} 12.0\n", i, bucket)
		}
	}
	page.WriteString(usage(.5))
	text := page.String()
	client := answering(func(*http.Request) (string, error) { return text, nil })
	p := newProbe(engineSource, client)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := p.read(b.Context())
		require.NoError(b, err)
		require.Equal(b, swap.Of(.5), v)
	}
}
