package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Merge adds what another histogram counted. The result is that of one histogram that counted everything.
func (h *Histogram) Merge(o *Histogram) {
	switch {
	case o.total == 0:
		return
	case h.total == 0:
		h.min, h.max = o.min, o.max
	default:
		h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	}
	h.small += o.small
	h.total += o.total
	for i, n := range o.counts {
		h.counts[i] += n
	}
}

// histogramDoc is a histogram as JSON, with the buckets that hold something.
type histogramDoc struct {
	Small  uint64         `json:"small,omitempty"`
	Counts map[int]uint64 `json:"counts,omitempty"`
	Min    float64        `json:"min"`
	Max    float64        `json:"max"`
}

// MarshalJSON writes the histogram, in 40 kB at most. Another process of the same version reads it back as it was.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	doc := histogramDoc{Small: h.small, Min: h.min, Max: h.max, Counts: map[int]uint64{}}
	for i, n := range h.counts {
		if n > 0 {
			doc.Counts[i] = n
		}
	}
	return json.Marshal(doc)
}

// UnmarshalJSON reads what MarshalJSON wrote, over what was counted before.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var doc histogramDoc
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	if doc.Min > doc.Max {
		return errors.New("histogram: the minimum is above the maximum")
	}
	*h = Histogram{small: doc.Small, total: doc.Small, min: doc.Min, max: doc.Max}
	for i, n := range doc.Counts {
		if i < 0 || i >= histogramBuckets {
			return fmt.Errorf("histogram: there is no bucket %d", i)
		}
		if n > math.MaxUint64-h.total {
			return errors.New("histogram: too many values")
		}
		h.counts[i] = n
		h.total += n
	}
	return nil
}
