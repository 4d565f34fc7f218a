package ensemble_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

// notice waits for the conductor's.
func (p *performance) notice() ensemble.Notice {
	p.t.Helper()
	var n ensemble.Notice
	require.Eventually(p.t, func() bool {
		var err error
		n, err = p.s.board.Read(p.ctx)
		return err == nil
	}, patience, time.Millisecond)
	return n
}

// puppet is a follower that is played by hand.
type puppet struct {
	t    *testing.T
	conn *tls.Conn
}

func (p *performance) puppet(hello wire.Hello) puppet {
	p.t.Helper()
	conn, err := ensemble.Connect(p.ctx, p.notice(), patience)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = conn.NetConn().Close() })
	m := puppet{t: p.t, conn: conn}
	m.say(hello)
	return m
}

func (m puppet) say(msg wire.Message) {
	m.t.Helper()
	require.NoError(m.t, wire.Write(m.conn, msg))
}

// hear skips signs of life and the welcome until there is a message of that kind.
func hear[M wire.Message](m puppet) M {
	m.t.Helper()
	for {
		msg, err := wire.Read(m.conn)
		require.NoError(m.t, err)
		if got, ok := msg.(M); ok {
			return got
		}
		switch msg.(type) {
		case wire.Alive, wire.Welcome:
		default:
			require.IsType(m.t, *new(M), msg)
		}
	}
}

// requireClosed reads until the conductor has closed the connection, and closes it too.
func (m puppet) requireClosed() {
	m.t.Helper()
	var err error
	for err == nil {
		_, err = wire.Read(m.conn)
	}
	require.NotErrorIs(m.t, err, os.ErrDeadlineExceeded)
	require.NoError(m.t, m.conn.NetConn().Close())
}

func (p *performance) dial(address string) net.Conn {
	p.t.Helper()
	conn, err := new(net.Dialer).DialContext(p.ctx, "tcp", address)
	require.NoError(p.t, err)
	return conn
}

func shard1(attempt string) wire.Hello {
	return wire.Hello{Version: wire.Version, Shard: 1, Of: 2, Attempt: attempt}
}

// Strangers get nowhere, and disturb nobody.
func TestStrangers(t *testing.T) {
	s := newStage(t, 2, 2)
	var waits []string // of the conductor
	s.tune = func(c *ensemble.Config) {
		if c.Shard == 0 {
			c.OnWait = func(sentence string) { waits = append(waits, sentence) }
		}
	}
	let := make(chan struct{})
	s.onDrive = func(ctx context.Context, _ int, _ string, turn ensemble.Turn) error {
		if turn.Block.Block == 2 {
			select {
			case <-let:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	}
	p := s.open(t)
	actors := p.startAll()
	notice := p.notice()
	address := notice.Addresses[0]

	for name, words := range map[string]string{
		"http": "GET / HTTP/1.1\r\n\r\n", "garbage": "\x00\xff\x16\x03", "a bare frame": "\x00\x00\x00\x02\x00\x00\x00\x00{}",
	} {
		conn := p.dial(address)
		_, err := io.WriteString(conn, words)
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		_, _ = io.Copy(io.Discard, conn) // until the conductor closes it
		require.NoError(t, conn.Close(), name)
	}
	idle := p.dial(address)
	defer func() { _ = idle.Close() }()

	guess := notice
	guess.Token = ensemble.Token(make([]byte, 64))
	_, err := ensemble.Connect(p.ctx, guess, patience)
	require.ErrorContains(t, err, "the other side does not know the token of this step")

	nameless := tls.Client(p.dial(address), &tls.Config{InsecureSkipVerify: true})
	if err = nameless.HandshakeContext(p.ctx); err == nil {
		_, err = nameless.Read(make([]byte, 1))
	}
	_ = nameless.Close()
	require.ErrorContains(t, err, "certificate required")

	close(let)
	p.wait(actors...)
	s.requireWhole(t)
	require.NotContains(t, strings.Join(waits, "\n"), "shard 1 (", "the follower was never lost")
}

func TestMalformedInputClosesTheConnection(t *testing.T) {
	s := newStage(t, 2, 1)
	p := s.open(t)
	conductor := p.start(0, "s0-a1")
	early := puppet{t: t, conn: p.puppet(shard1("x")).conn}
	hear[wire.Welcome](early)
	_, err := io.WriteString(early.conn, "\x00\x00\x00\x03\x00\x00\x00\x00{}}")
	require.NoError(t, err)
	early.requireClosed()

	conn, err := ensemble.Connect(p.ctx, p.notice(), patience)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	impolite := puppet{t: t, conn: conn}
	impolite.say(wire.Alive{})
	impolite.requireClosed()

	p.wait(p.start(1, "s1-a1"), conductor)
	s.requireWhole(t)
}

func TestOneShardOneConnection(t *testing.T) {
	s := newStage(t, 2, 1)
	p := s.open(t)
	conductor := p.start(0, "s0-a1")
	first := p.puppet(shard1("s1-a1"))
	hear[wire.Welcome](first)
	again := p.puppet(shard1("s1-a1"))
	require.False(t, hear[wire.Refused](again).Final)
	again.requireClosed()

	second := p.start(1, "s1-a2")
	hear[wire.Prepare](first)
	refused := hear[wire.Refused](first)
	require.Equal(t, wire.Refused{Reason: `attempt "s1-a2" took its place`, Final: true}, refused)
	first.requireClosed()
	p.wait(second, conductor)
	s.requireWhole(t)
	require.Equal(t, "s1-a2", s.sealed[1][1].Attempt)
}

// An attempt that another has replaced gives up.
func TestReplacedFollowerGivesUp(t *testing.T) {
	s := newStage(t, 2, 1)
	driving := make(chan struct{}, 2)
	s.onDrive = func(ctx context.Context, _ int, _ string, turn ensemble.Turn) error {
		if turn.Round > 1 {
			return nil
		}
		driving <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p := s.open(t)
	actors := p.startAll()
	<-driving
	<-driving
	next := p.start(1, "s1-a2")
	err := <-actors[1].done
	require.ErrorIs(t, err, ensemble.ErrRefused)
	require.EqualError(t, err, `the conductor refused this load worker: shard 1: attempt "s1-a2" took its place`)
	p.wait(next, actors[0])
	s.requireWhole(t)
}

// A shard that goes silent without closing its connection is lost too.
func TestSilentFollower(t *testing.T) {
	s := newStage(t, 2, 1)
	s.tune = func(c *ensemble.Config) {
		if c.Shard == 0 {
			c.Silence = 500 * time.Millisecond
		}
	}
	s.onDrive = func(ctx context.Context, _ int, _ string, turn ensemble.Turn) error { return nil }
	p := s.open(t)
	conductor := p.start(0, "s0-a1")
	silent := p.puppet(shard1("s1-a1"))
	prepare := hear[wire.Prepare](silent)
	silent.say(wire.Ready{Round: prepare.Round, PlanSHA256: s.plan.SHA256})
	hear[wire.Go](silent)
	silent.requireClosed()
	p.startRelaxed(t, conductor)
}

// startRelaxed ends a step whose conductor has little patience: with a follower that shows life as often.
func (p *performance) startRelaxed(t *testing.T, conductor *actor) {
	t.Helper()
	p.s.tune = func(c *ensemble.Config) { c.Silence = 500 * time.Millisecond }
	p.wait(p.start(1, "s1-a2"), conductor)
	p.s.requireWhole(t)
}

// A slice of a round that is over counts for nothing, also when it comes in the next.
func TestSliceOfAnotherRound(t *testing.T) {
	s := newStage(t, 2, 1)
	p := s.open(t)
	conductor := p.start(0, "s0-a1")
	m := p.puppet(shard1("s1-a1"))
	ready := func() int {
		round := hear[wire.Prepare](m).Round
		m.say(wire.Ready{Round: round, PlanSHA256: s.plan.SHA256})
		hear[wire.Go](m)
		return round
	}
	round := ready()
	m.say(wire.Late{Round: round, ByNS: 1})
	require.Equal(t, wire.Void{Round: 1, Reason: "shard 1 heard of the start 1ns late"}, hear[wire.Void](m))
	require.Equal(t, 2, ready())
	m.say(wire.Slice{Round: 1, Planned: 9, Outcomes: swap.OutcomeCounts{swap.OK: 9}})
	m.say(wire.Slice{Round: 2, Planned: 5, Outcomes: swap.OutcomeCounts{swap.OK: 5}})
	hear[wire.End](m)
	require.NoError(t, m.conn.Close())
	p.wait(conductor)
	require.Equal(t, 5, s.sealed[1][1].Planned)
}

func TestCancelEndsEachSide(t *testing.T) {
	s := newStage(t, 3, 1)
	driving := make(chan struct{}, 3)
	s.onDrive = func(ctx context.Context, _ int, _ string, _ ensemble.Turn) error {
		driving <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	p := s.open(t)
	actors := p.startAll()
	for range 3 {
		<-driving
	}
	for _, a := range []*actor{actors[1], actors[0], actors[2]} { // the last waits for a new conductor by then
		a.kill()
		require.ErrorIs(t, <-a.done, errKilled)
	}
	require.Empty(t, s.sealed)
}

func TestMisuse(t *testing.T) {
	part := newStage(t, 2, 1).part(1, "x")
	s := newStage(t, 2, 1)
	for name, err := range map[string]error{
		"no attempt":             ensemble.Follow(t.Context(), ensemble.Config{Shard: 1, Of: 2, Board: s.board}, part),
		"no board":               ensemble.Follow(t.Context(), ensemble.Config{Shard: 1, Of: 2, Attempt: "x"}, part),
		"no such shard":          ensemble.Follow(t.Context(), s.config(2, "x"), part),
		"conductor as follower":  ensemble.Follow(t.Context(), s.config(0, "x"), part),
		"no part":                ensemble.Follow(t.Context(), s.config(1, "x"), ensemble.Part{}),
		"follower as conductor":  ensemble.Conduct(t.Context(), s.config(1, "x"), ensemble.Step{Part: part}),
		"a step without its end": ensemble.Conduct(t.Context(), s.config(0, "x"), ensemble.Step{Part: part}),
		"negative": ensemble.Follow(t.Context(), ensemble.Config{
			Shard: 1, Of: 2, Attempt: "x", Board: s.board, Poll: -1,
		}, part),
	} {
		require.ErrorIs(t, err, ensemble.ErrInvalid, name)
	}
}
