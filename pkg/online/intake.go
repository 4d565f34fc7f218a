package online

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ErrNoRun says that no run of a target takes reports.
var ErrNoRun = errors.New("no validation of the target is running")

const (
	// remembered is how many ids an intake knows as seen, mostHeld how many events it holds for runs that cannot be told now.
	remembered = 200_000
	mostHeld   = 100_000
)

// Intake takes reports over HTTP and hands them on in sums, so that a run hears of many events at once. Its zero value is not ready; use
// NewIntake.
type Intake struct {
	// Token that clients must send as a bearer token.
	token string
	// send hands a batch to the run of a target. ErrNoRun drops the batch; any other error keeps it for the next time.
	send func(ctx context.Context, target string, b swap.FeedbackBatch) error
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	seen   *Seen
	events map[string][]Event
	unsent map[string][]swap.FeedbackBatch
	held   int
}

// NewIntake makes an intake that is open to whoever has the token, which must not be empty.
func NewIntake(token string, send func(context.Context, string, swap.FeedbackBatch) error, log *slog.Logger) (*Intake, error) {
	if token == "" {
		return nil, errors.New("an intake of reports needs a token: without one, anybody could decide about a rollout")
	}
	return &Intake{
		token: token, send: send, log: log, now: time.Now, seen: NewSeen(remembered),
		events: map[string][]Event{}, unsent: map[string][]swap.FeedbackBatch{},
	}, nil
}

// ServeHTTP is POST /feedback?target=NAME with events as JSON Lines. 202 means that all of them were taken; nothing of a report that is
// refused was.
func (i *Intake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := []byte(r.Header.Get("Authorization"))
	target := r.URL.Query().Get("target")
	switch {
	case subtle.ConstantTimeCompare(given, []byte("Bearer "+i.token)) != 1:
		answer(w, http.StatusUnauthorized, "the bearer token is not the one of this intake", 0)
		return
	case target == "":
		answer(w, http.StatusBadRequest, "name the target: /feedback?target=NAME", 0)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, "the report cannot be read, or is longer than 4 MiB", 0)
		return
	}
	events, err := ParseEvents(body, i.now())
	switch {
	case err != nil:
		answer(w, http.StatusBadRequest, err.Error(), 0)
	case !i.hold(target, events):
		answer(w, http.StatusTooManyRequests, "too many events wait for runs; report again in a minute", 0)
	default:
		answer(w, http.StatusAccepted, "", len(events))
	}
}

func answer(w http.ResponseWriter, status int, problem string, accepted int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	reply := map[string]any{"accepted": accepted}
	if problem != "" {
		reply["error"] = problem
	}
	_ = json.NewEncoder(w).Encode(reply) // the client went away
}

func (i *Intake) hold(target string, events []Event) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.held+len(events) > mostHeld {
		return false
	}
	i.held += len(events)
	i.events[target] = append(i.events[target], events...)
	return true
}

// Flush hands on what was taken since. Call it every few seconds, one call at a time.
func (i *Intake) Flush(ctx context.Context) {
	for target, batches := range i.take() {
		for k, b := range batches {
			err := i.send(ctx, target, b)
			if err == nil {
				i.release(b)
				continue
			}
			i.log.WarnContext(ctx, "reports were not handed on", "target", target, "error", err)
			if errors.Is(err, ErrNoRun) {
				i.release(b)
				continue
			}
			i.keep(target, batches[k:])
			break
		}
	}
}

// take makes batches of what is there, after those that could not be sent before.
func (i *Intake) take() map[string][]swap.FeedbackBatch {
	i.mu.Lock()
	defer i.mu.Unlock()
	batches := i.unsent
	for target, events := range i.events {
		for n := range events {
			events[n].ID = target + "\n" + events[n].ID // ids are those of a target's application
		}
		batches[target] = append(batches[target], Batch(events, i.seen))
	}
	i.events, i.unsent = map[string][]Event{}, map[string][]swap.FeedbackBatch{}
	return batches
}

func (i *Intake) keep(target string, batches []swap.FeedbackBatch) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.unsent[target] = batches
}

func (i *Intake) release(b swap.FeedbackBatch) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held -= b.Duplicates
	for _, s := range b.Sums {
		i.held -= s.N
	}
}
