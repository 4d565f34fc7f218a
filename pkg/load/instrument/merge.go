package instrument

import (
	"encoding/json"

	"github.com/swapgate/swapgate/pkg/load/instrument/lateness"
	"github.com/swapgate/swapgate/pkg/stats"
)

// Merge adds what another tally gathered. The reading is then that of all records together.
func (t *Tally) Merge(o *Tally) {
	t.sent.merge(o.sent)
	t.keptConn.merge(o.keptConn)
	t.chunks += o.chunks
	t.stamped += o.stamped
	t.late.Merge(&o.late)
	t.lag.Merge(&o.lag)
}

type tallyDoc struct {
	Sent     *punctual        `json:"sent"`
	KeptConn *punctual        `json:"kept_conn"`
	Chunks   *int             `json:"chunks"`
	Stamped  *int             `json:"stamped"`
	Late     *lateness.Tally  `json:"late"`
	Lag      *stats.Histogram `json:"lag"`
}

func (t *Tally) doc() *tallyDoc {
	return &tallyDoc{Sent: &t.sent, KeptConn: &t.keptConn, Chunks: &t.chunks, Stamped: &t.stamped, Late: &t.late, Lag: &t.lag}
}

// MarshalJSON writes the tally, in 120 kB at most, for another process of the same version.
func (t *Tally) MarshalJSON() ([]byte, error) { return json.Marshal(t.doc()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Tally) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, t.doc()) }
