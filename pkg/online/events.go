package online

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Limits of what is reported at once.
const (
	// MaxBody is the most bytes, MaxEvents the most events of one report.
	MaxBody   = 4 << 20
	MaxEvents = 20_000
	maxID     = 128
	// oldest and newest bound the time of an event against the clock of whoever reads it.
	oldest = 7 * 24 * time.Hour
	newest = time.Minute
)

// Event is one thing that the application reports of one answer.
type Event struct {
	// ID tells events apart: one that comes again counts once.
	ID string `json:"id"`
	// Arm that gave the answer, as the gateway's header X-Swapgate-Arm says.
	Arm swap.Arm `json:"arm"`
	// Kind is conversion, whose value is 0 or 1, or quality, whose value is from 0 to 1.
	Kind  swap.FeedbackKind `json:"kind"`
	Value *float64          `json:"value"`
	// Time at which the request was answered; left out, now.
	Time time.Time `json:"time,omitzero"`
}

// ParseEvents reads events as JSON Lines: one object a line. Its error names the line.
func ParseEvents(data []byte, now time.Time) ([]Event, error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(make([]byte, 0, 4096), 64<<10)
	var events []Event
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if len(events) == MaxEvents {
			return nil, fmt.Errorf("there are more than %d events; report them in parts", MaxEvents)
		}
		e, err := parseEvent(line, now)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		events = append(events, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d or later: %w", len(events)+1, err)
	}
	if len(events) == 0 {
		return nil, errors.New("there is no event")
	}
	return events, nil
}

func parseEvent(line []byte, now time.Time) (Event, error) {
	var e Event
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return Event{}, fmt.Errorf("it is no event: %w", err)
	}
	if dec.More() {
		return Event{}, errors.New("there is something behind the event")
	}
	return e, e.complete(now)
}

// complete fills in the time and says what is wrong.
func (e *Event) complete(now time.Time) error {
	if e.Time.IsZero() {
		e.Time = now
	}
	switch {
	case e.ID == "" || len(e.ID) > maxID:
		return fmt.Errorf("id must have 1 to %d bytes", maxID)
	case e.Arm != swap.Baseline && e.Arm != swap.Candidate:
		return errors.New("arm must be baseline or candidate, as the gateway's header " + swap.ArmHeader + " says")
	case e.Kind != swap.FeedbackConversion && e.Kind != swap.FeedbackQuality:
		return errors.New("kind must be conversion or quality")
	case e.Value == nil || math.IsNaN(*e.Value) || *e.Value < 0 || *e.Value > 1:
		return errors.New("value must be from 0 to 1")
	case e.Kind == swap.FeedbackConversion && *e.Value != 0 && *e.Value != 1:
		return errors.New("value of a conversion must be 0 or 1")
	case e.Time.Before(now.Add(-oldest)) || e.Time.After(now.Add(newest)):
		return fmt.Errorf("time %s is older than a week or in the future", e.Time.UTC().Format(time.RFC3339))
	}
	return nil
}

// Seen remembers the last ids, as many as it holds. The zero value holds none; use NewSeen.
type Seen struct {
	ids   map[string]bool
	order []string
	next  int
}

// NewSeen holds so many ids.
func NewSeen(size int) *Seen {
	return &Seen{ids: make(map[string]bool, size), order: make([]string, size)}
}

// add reports whether an id is new, and remembers it.
func (s *Seen) add(id string) bool {
	if s.ids[id] {
		return false
	}
	delete(s.ids, s.order[s.next])
	s.order[s.next] = id
	s.next = (s.next + 1) % len(s.order)
	s.ids[id] = true
	return true
}

// Batch sums events whose ids were not seen before, by arm, kind and second. The same events make the same batch, id included.
func Batch(events []Event, seen *Seen) swap.FeedbackBatch {
	b := swap.FeedbackBatch{}
	at := map[swap.FeedbackSum]int{}
	var ids []string
	for _, e := range events {
		if !seen.add(e.ID) {
			b.Duplicates++
			continue
		}
		ids = append(ids, e.ID)
		key := swap.FeedbackSum{Arm: e.Arm, Kind: e.Kind, Time: e.Time.UTC().Truncate(time.Second)}
		i, known := at[key]
		if !known {
			i = len(b.Sums)
			at[key] = i
			b.Sums = append(b.Sums, key)
		}
		b.Sums[i].N++
		b.Sums[i].Sum += *e.Value
	}
	slices.Sort(ids)
	hash := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	b.ID = hex.EncodeToString(hash[:8])
	return b
}
