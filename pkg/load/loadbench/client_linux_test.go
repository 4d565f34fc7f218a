package loadbench

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/pkg/sim/truth"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

const (
	// lasting is how long a stream lasts. The client is measured while all of them are open.
	lasting = 9 * time.Second
	// shortest is the least time for which that must be so.
	shortest = time.Second
	// opening is the settle time of the block, over half of which the streams are opened.
	opening = 2 * time.Second
	// window is how long the bare reader is measured, once its streams have been open for settle.
	settle = time.Second
	window = 4 * time.Second
)

// crowd is a number of streams that all last for the whole measurement.
type crowd struct {
	streams, perSecond int
	// userTime hides from the client that its connections are TCP, so that it has no kernel times.
	userTime bool
}

// opaque is a connection that is nothing but a connection.
type opaque struct{ net.Conn }

func (l crowd) options() engine.ClientOptions {
	if !l.userTime {
		return engine.ClientOptions{}
	}
	return engine.ClientOptions{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return opaque{conn}, err
	}}
}

func (l crowd) tokens() int { return int(lasting.Seconds()) * l.perSecond }

func (l crowd) beat() metronome.Config {
	cfg := metronome.Default()
	cfg.Interval = time.Second / time.Duration(l.perSecond)
	return cfg
}

// request is what the bare reader sends.
func (l crowd) request() []byte {
	body := fmt.Sprintf(`{"model":"metronome","stream":true,"max_tokens":%d,"messages":[{"role":"user","content":"hi"}]}`, l.tokens())
	return fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: m\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// observed is what the client recorded, and what it used in the time in which all streams were open.
type observed struct {
	records       []rawlog.Record
	truths        []truth.Entry
	before, after usage
}

// observe lets the client read all streams.
func (l crowd) observe(b *testing.B, child *metronome.Child) observed {
	b.Helper()
	var o observed
	var marks []usage
	var watching sync.WaitGroup
	stop := make(chan struct{})
	watching.Go(func() { marks = watch(b, child, stop) })
	o.records = drive(b, child, l.options(), swap.Step{Concurrency: l.streams}, l.tokens(), lasting-time.Second)
	close(stop)
	watching.Wait()
	truths, err := child.Truth(b.Context())
	require.NoError(b, err)
	o.truths = truths
	o.before, o.after = l.whileAllOpen(b, truths, marks)
	return o
}

// watch takes stock ten times a second.
func watch(b *testing.B, child *metronome.Child, stop <-chan struct{}) (marks []usage) {
	b.Helper()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m, err := mark(child.PID())
			if err != nil {
				b.Error(err)
				return marks
			}
			marks = append(marks, m)
		case <-stop:
			return marks
		}
	}
}

// whileAllOpen picks the marks between the first token of the last stream and the last token of the first one.
func (l crowd) whileAllOpen(b *testing.B, truths []truth.Entry, marks []usage) (before, after usage) {
	b.Helper()
	var opened, ended int64
	for _, e := range truths {
		opened = max(opened, e.ArrivalUnixNS+*e.FirstUS*1e3)
		if last := e.ArrivalUnixNS + *e.LastUS*1e3; ended == 0 || last < ended {
			ended = last
		}
	}
	for _, m := range marks {
		at := m.at.UnixNano()
		if at >= opened && before.at.IsZero() {
			before = m
		}
		if at <= ended {
			after = m
		}
	}
	if len(truths) < l.streams || before.at.IsZero() || after.at.Sub(before.at) < shortest {
		b.Fatalf("%d of %d streams opened, the last of them %s before the first one ended: this machine is too slow or too busy",
			len(truths), l.streams, time.Duration(ended-opened))
	}
	return before, after
}

// drive drives a step against the metronome, with the client and the driver of a real run, and returns its records.
func drive(
	b *testing.B, child *metronome.Child, opt engine.ClientOptions, step swap.Step, tokens int, length time.Duration,
) []rawlog.Record {
	b.Helper()
	const timeout = time.Minute
	g, err := workload.New(swap.Workload{
		API: swap.APIChat, InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: tokens},
		PromptCache: swap.CacheShared, Seed: 1,
	})
	require.NoError(b, err)
	plan := load.PlanBlock(g, step, opening, length-opening, 1, 1, nil)
	target := engine.Target{URL: child.URL(), Model: metronome.Default().Model}
	client, err := engine.NewClient(target, opt)
	require.NoError(b, err)
	defer client.Close()
	var records []rawlog.Record
	_, err = load.Run(b.Context(), client, plan, load.Options{
		Block: swap.BlockPlan{Arm: swap.Baseline}, Model: target.Model, Timeout: timeout,
		OnRecord: func(r *rawlog.Record) { records = append(records, *r) },
	})
	require.NoError(b, err)
	require.Equal(b, len(records), rawlog.Outcomes(records)[swap.OK], "%v", rawlog.Outcomes(records))
	return records
}

func startChild(b *testing.B, cfg metronome.Config) *metronome.Child {
	b.Helper()
	child, err := metronome.StartChild(b.Context(), cfg)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, child.Stop()) })
	return child
}
