package engine

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
)

// Faults returns what is wrong with the server.
func (e *Engine) Faults() Faults {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sched.faults
}

// SetFaults changes what is wrong with the server; requests in service keep their fate. A server that a memory leak
// killed lives again once the leak is taken away, and one that crashed once Crash is.
func (e *Engine) SetFaults(f Faults) error {
	if err := f.Validate(); err != nil {
		return err
	}
	return e.withScheduler(func(s *scheduler, now time.Duration) { s.setFaults(f, now) })
}

// Truth returns what is known of the requests that ended after the first since ones.
func (e *Engine) Truth(since uint64) TruthPage { return e.truth.Since(since) }

// ResetPrefixCache makes every prompt new to the server.
func (e *Engine) ResetPrefixCache() error {
	return e.withScheduler(func(s *scheduler, _ time.Duration) { s.kv.reset() })
}

func (e *Engine) getFaults(w http.ResponseWriter, _ *http.Request) {
	serve.JSON(w, http.StatusOK, e.Faults())
}

func (e *Engine) putFaults(w http.ResponseWriter, r *http.Request) {
	var f Faults
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	err := dec.Decode(&f)
	if err == nil {
		err = e.SetFaults(f)
	}
	if err != nil {
		writeError(w, badRequest("faults", "%v", err))
		return
	}
	serve.JSON(w, http.StatusOK, f)
}

func (e *Engine) serveTruth(w http.ResponseWriter, r *http.Request) {
	var since uint64
	if text := r.URL.Query().Get("since"); text != "" {
		var err error
		if since, err = strconv.ParseUint(text, 10, 64); err != nil {
			writeError(w, badRequest("since", "since must be a number of requests"))
			return
		}
	}
	serve.JSON(w, http.StatusOK, e.Truth(since))
}

func (e *Engine) resetPrefixCache(w http.ResponseWriter, _ *http.Request) {
	serve.JSON(w, http.StatusOK, map[string]bool{"success": e.ResetPrefixCache() == nil})
}
