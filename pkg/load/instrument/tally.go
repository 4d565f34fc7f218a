package instrument

import (
	"time"

	"github.com/swapgate/swapgate/pkg/load/instrument/lateness"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// inTime is how late a request may be sent and still count for the achieved rate. It is far above what latencies tolerate:
// the rate is about load that was not there when the plan wanted it.
const inTime = time.Second

// Tally gathers what the records of measured time say of the client, in memory of fixed size, about 45 kB. The zero value is
// ready; it is not safe for concurrent use.
type Tally struct {
	sent            punctual
	keptConn        punctual
	chunks, stamped int
	late            lateness.Tally
	lag             stats.Histogram
}

// Add counts one record. Records of settle time are ignored: many requests start there at once, and none is judged.
func (t *Tally) Add(r *rawlog.Record) {
	if !r.Measured {
		return
	}
	if r.SentUnixNS != 0 {
		t.late.Add(r)
		t.sent.add(r)
		if r.ConnReused {
			t.keptConn.add(r)
		}
	}
	t.chunks += int(r.Chunks)
	t.stamped += int(r.KernelStamped)
	if r.LagUS != nil {
		t.lag.Add(float64(*r.LagUS) / 1e3)
	}
}

// Reading returns the signals that records tell:
//
//   - Requests that were sent, and Tokens as chunks with text: what has a time of its own;
//   - SendLatenessP99MS, the time that the plan held requests back left out (see lateness.Tally);
//   - LagP99MS over requests, of each the longest lag;
//   - KernelStamped, kernel-stamped chunks over all chunks;
//   - RateAchieved, requests sent within one second of their plan over requests sent. What was never sent is left out: it
//     could not connect or was abandoned, which the outcomes tell. So is, if there are others, what opened a connection: it
//     waited for the server, not for the client.
func (t *Tally) Reading() swap.InstrumentReading {
	return swap.InstrumentReading{
		Requests: t.sent.Sent, Tokens: t.chunks,
		SendLatenessP99MS: t.late.P99MS(),
		LagP99MS:          swap.Of(t.lag.Quantile(.99)),
		KernelStamped:     ratio(t.stamped, t.chunks),
		RateAchieved:      t.rateAchieved(),
	}
}

func (t *Tally) rateAchieved() swap.Value {
	if t.keptConn.Sent > 0 {
		return ratio(t.keptConn.InTime, t.keptConn.Sent)
	}
	return ratio(t.sent.InTime, t.sent.Sent)
}

// punctual counts requests that were sent, and those of them that were sent in time.
type punctual struct {
	Sent   int `json:"sent"`
	InTime int `json:"in_time"`
}

func (p *punctual) add(r *rawlog.Record) {
	p.Sent++
	if lateness.OwnMS(r) <= float64(inTime.Milliseconds()) {
		p.InTime++
	}
}

func (p *punctual) merge(o punctual) { p.Sent, p.InTime = p.Sent+o.Sent, p.InTime+o.InTime }

// ratio is absent where of is 0.
func ratio(n, of int) swap.Value { return swap.Of(float64(n) / float64(of)) }
