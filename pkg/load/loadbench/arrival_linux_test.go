package loadbench

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/truth"
	"github.com/swapgate/swapgate/pkg/stats"
)

// BenchmarkTokenArrival: see the package comment.
func BenchmarkTokenArrival(b *testing.B) {
	for _, l := range []crowd{
		{streams: 1000, perSecond: 20}, {streams: 10_000, perSecond: 4}, {streams: 1000, perSecond: 20, userTime: true},
	} {
		name := fmt.Sprintf("%dx%d", l.streams, l.perSecond)
		if l.userTime {
			name += "-user-time"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l.measure(b)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func (l crowd) measure(b *testing.B) {
	b.Helper()
	server := startChild(b, l.beat())
	o := l.observe(b, server)
	require.NoError(b, server.Stop())
	e := o.errors(b)
	e.report(b)
	client := costOf(o.before, o.after, len(e.tokens))
	b.ReportMetric(client.perToken, "cpu-µs/tok")
	b.ReportMetric(client.rate, "tok/s")
	b.ReportMetric(o.after.rss, "rss-MB")

	server = startChild(b, l.beat())
	bare := costOf(readBare(b, server, l))
	require.NoError(b, server.Stop())
	b.ReportMetric(bare.perToken, "bare-µs/tok")
	b.ReportMetric(bare.rate, "bare-tok/s")
	b.ReportMetric(bare.serverCores, "server-cores")
	b.ReportMetric(client.perToken/bare.perToken, "x-bare")
}

// cost of reading tokens: CPU time in µs per token, tokens per second, and the cores that the server took for them.
type cost struct{ perToken, rate, serverCores float64 }

func costOf(before, after usage, tokens int) cost {
	seconds := after.at.Sub(before.at).Seconds()
	return cost{
		perToken: (after.cpu - before.cpu).Seconds() * 1e6 / float64(tokens),
		rate:     float64(tokens) / seconds, serverCores: (after.server - before.server).Seconds() / seconds,
	}
}

// clientErrors are the errors of tokens that were written within the window in µs, and of times to the first token in ms.
type clientErrors struct {
	tokens, lags, ttft      []float64
	late                    []float64
	stamped, merged, chunks int
}

func (o observed) errors(b *testing.B) clientErrors {
	b.Helper()
	known := map[string]*truth.Entry{}
	for i := range o.truths {
		known[o.truths[i].TraceID()] = &o.truths[i]
	}
	var e clientErrors
	for i := range o.records {
		r := &o.records[i]
		of := known[r.TraceID]
		require.NotNil(b, of)
		require.Equal(b, len(of.TokensUS), int(r.Chunks))
		e.add(r, of, o.before.at.UnixNano(), o.after.at.UnixNano())
	}
	return e
}

func (e *clientErrors) add(r *rawlog.Record, of *truth.Entry, from, to int64) {
	e.ttft = append(e.ttft, float64(*r.FirstUS-*of.FirstUS)/1e3)
	e.chunks, e.stamped = e.chunks+int(r.Chunks), e.stamped+int(r.KernelStamped)
	e.late = append(e.late, float64(of.LagUS))
	e.merged += int(r.Coalesced)
	if r.LagUS != nil {
		e.lags = append(e.lags, float64(*r.LagUS))
	}
	at := r.SentUnixNS + *r.FirstUS*1e3
	for i, us := range of.TokensUS {
		if i > 0 {
			at += r.ChunkGapsUS[i-1] * 1e3
		}
		if wrote := of.ArrivalUnixNS + us*1e3; wrote >= from && wrote < to {
			e.tokens = append(e.tokens, math.Abs(float64(at-wrote))/1e3)
		}
	}
}

func (e *clientErrors) report(b *testing.B) {
	b.Helper()
	slices.Sort(e.tokens)
	slices.Sort(e.lags)
	slices.Sort(e.late)
	b.ReportMetric(stats.Quantile(e.late, .99), "server-late-p99-µs")
	b.ReportMetric(stats.Quantile(e.tokens, .5), "err-p50-µs")
	b.ReportMetric(stats.Quantile(e.tokens, .99), "err-p99-µs")
	b.ReportMetric(100*float64(e.stamped)/float64(e.chunks), "stamped-%")
	b.ReportMetric(100*float64(e.merged)/float64(e.chunks), "coalesced-%")
	b.ReportMetric(mean(e.ttft), "ttft-err-ms")
	if len(e.lags) > 0 {
		b.ReportMetric(stats.Quantile(e.lags, .99), "lag-p99-µs")
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
