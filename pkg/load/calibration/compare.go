package calibration

import (
	"errors"
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/truth"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ErrMisread says that the client's records do not tell what the server of known truth did. Such a client is broken, and no
// statistic of its errors says so.
var ErrMisread = errors.New("the load client misread a server of known truth")

// ErrSilent says that the server of known truth answered nothing.
var ErrSilent = errors.New("the server of known truth answered nothing")

// Compare holds records against the truth of the same requests, by trace id, and returns the client's errors beside what the
// records alone tell (instrument.Tally). Records of settle time and requests without a first token or a truth are left out.
//
//   - TTFT error: first token after the send by the client's account, minus first token after the arrival of the request by
//     the server's. It holds the errors of both the client's stamps, and the way of the bytes.
//   - Token error: absolute distance of the time of each token on the client's wall clock from that on the server's. Both
//     run on one machine, so the clocks are one.
func Compare(records []rawlog.Record, truths []truth.Entry) swap.InstrumentReading {
	var c comparison
	known := byTrace(truths)
	for i := range records {
		r := &records[i]
		c.tally.Add(r)
		if e := known[r.TraceID]; e != nil && r.Measured && r.FirstUS != nil && e.FirstUS != nil {
			c.add(r, e)
		}
	}
	return c.reading()
}

func byTrace(truths []truth.Entry) map[string]*truth.Entry {
	known := make(map[string]*truth.Entry, len(truths))
	for i := range truths {
		known[truths[i].TraceID()] = &truths[i]
	}
	return known
}

// comparison gathers errors in ms.
type comparison struct {
	tally       instrument.Tally
	first, each stats.Histogram
	firstSum    float64
}

func (c *comparison) add(r *rawlog.Record, e *truth.Entry) {
	ttft := float64(*r.FirstUS-*e.FirstUS) / 1e3
	c.first.Add(ttft)
	c.firstSum += ttft
	at := float64(r.SentUnixNS-e.ArrivalUnixNS)/1e6 + float64(*r.FirstUS)/1e3
	for i, trueUS := range e.TokensUS {
		if i > len(r.ChunkGapsUS) {
			return
		}
		if i > 0 {
			at += float64(r.ChunkGapsUS[i-1]) / 1e3
		}
		c.each.Add(math.Abs(at - float64(trueUS)/1e3))
	}
}

func (c *comparison) reading() swap.InstrumentReading {
	r := c.tally.Reading()
	r.TTFTErrorMeanMS = swap.Of(c.firstSum / float64(c.first.Count()))
	r.TTFTErrorP99MS = swap.Of(c.first.Quantile(.99))
	r.TokenErrorP99MS = swap.Of(c.each.Quantile(.99))
	return r
}

// Verify returns ErrMisread unless every good record tells of as many tokens as the server wrote, and ErrSilent if there is none.
func Verify(records []rawlog.Record, truths []truth.Entry) error {
	known := byTrace(truths)
	good := 0
	for i := range records {
		r := &records[i]
		if !r.Good() {
			continue
		}
		good++
		e := known[r.TraceID]
		if e == nil {
			return fmt.Errorf("%w: it says that request %d was answered, and the server does not know of it", ErrMisread, r.Seq)
		}
		if int(r.Chunks) != len(e.TokensUS) || len(r.ChunkGapsUS) != len(e.TokensUS)-1 {
			return fmt.Errorf("%w: it saw %d tokens and %d gaps of request %d, and the server wrote %d tokens",
				ErrMisread, r.Chunks, len(r.ChunkGapsUS), r.Seq, len(e.TokensUS))
		}
	}
	if good == 0 {
		return fmt.Errorf("%w: none of %d requests was answered (%v)", ErrSilent, len(records), rawlog.Outcomes(records))
	}
	return nil
}
