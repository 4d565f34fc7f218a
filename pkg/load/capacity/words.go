package capacity

import (
	"fmt"
	"strconv"

	"github.com/swapgate/swapgate/pkg/swap"
)

func level(p Point) *swap.LoadLevel {
	return &swap.LoadLevel{
		Step: p.Step, Label: p.Label, Load: swap.Of(p.Load), Throughput: p.Throughput, TTFTP95ms: p.TTFTP95ms,
	}
}

func words(l *swap.LoadLevel) string {
	if !l.TTFTP95ms.Valid() {
		return fmt.Sprintf("%s tokens/s", l.Throughput)
	}
	return fmt.Sprintf("%s tokens/s, P95 of TTFT %s ms", l.Throughput, l.TTFTP95ms)
}

func fixed(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
