package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Weights are one set of weights that the server can load.
type Weights struct {
	// Answers tells the words of its answers from those of other weights.
	Answers uint64 `json:"answers"`
	// Slow makes every request that much slower in prefill and decode; 0 stands for 1.
	Slow float64 `json:"slow,omitempty"`
}

// SwapFaults are the things that can go wrong when the weights of a server are swapped.
type SwapFaults struct {
	// Stall holds the whole server up while it loads.
	Stall swap.Duration `json:"stall,omitempty"`
	// ErrorBurst answers HTTP 500 to what arrives so long after the new weights are in.
	ErrorBurst swap.Duration `json:"error_burst,omitempty"`
	// Late is how long after the reply the new weights are in.
	Late swap.Duration `json:"late,omitempty"`
	// Lie replies that all went well, names the new weights, and serves the old.
	Lie bool `json:"lie,omitempty"`
	// Refuse replies 200 with success false and changes nothing.
	Refuse bool `json:"refuse,omitempty"`
}

// Swap is what the server knows of one swap of its weights.
type Swap struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// AskedUnixNS is when the call came, AppliedUnixNS when the new weights were in; 0 for never.
	AskedUnixNS   int64 `json:"asked_unix_ns"`
	AppliedUnixNS int64 `json:"applied_unix_ns,omitempty"`
}

// served is what the server has loaded, by the names that clients ask for. It is guarded by the engine's mu.
type served struct {
	// named is the path that the server says is loaded, loaded the one that answers. They differ after a lie.
	named, loaded map[string]string
	// due is when a swap that was answered early takes effect.
	due    *dueSwap
	swaps  []Swap
	broken time.Duration
}

type dueSwap struct {
	at   time.Duration
	swap int
}

func newServed(cfg Config) served {
	return served{named: map[string]string{cfg.Model: cfg.Loaded}, loaded: map[string]string{cfg.Model: cfg.Loaded}}
}

// weightsOf is what answers to a model's name; false if the server does not serve it.
func (e *Engine) weightsOf(model string) (Weights, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settle(e.now())
	path, ok := e.served.loaded[model]
	return e.cfg.Weights[path], ok
}

// adapters are the names beside the model's own, and their paths as the server says them.
func (e *Engine) adapters() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settle(e.now())
	named := maps.Clone(e.served.named)
	delete(named, e.cfg.Model)
	return named
}

// inBurst says whether the server is in the error burst after a swap.
func (e *Engine) inBurst() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now() < e.served.broken
}

// settle carries out what is due. The caller holds mu.
func (e *Engine) settle(now time.Duration) {
	if due := e.served.due; due != nil && due.at <= now {
		e.served.due = nil
		e.put(due.swap, due.at)
	}
}

// put makes the weights of a swap those that answer. The caller holds mu.
func (e *Engine) put(number int, now time.Duration) {
	s, f := &e.served.swaps[number], e.sched.faults.Swap
	e.served.named[s.Name] = s.Path
	if f.Lie {
		if _, known := e.served.loaded[s.Name]; !known {
			e.served.loaded[s.Name] = e.cfg.Loaded
		}
		return
	}
	e.served.loaded[s.Name] = s.Path
	e.served.broken = now + f.ErrorBurst.Std()
	s.AppliedUnixNS = e.unixNS(now)
	e.sched.kv.reset()
}

// Swaps is what the server knows of the swaps so far.
func (e *Engine) Swaps() []Swap {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settle(e.now())
	return append([]Swap{}, e.served.swaps...)
}

// load swaps the weights behind a name as the faults want; it returns once the server would reply, and false for a refusal.
func (e *Engine) load(name, path string) bool {
	var stall time.Duration
	number, refused := 0, false
	err := e.withScheduler(func(s *scheduler, now time.Duration) {
		e.settle(now)
		stall, refused = s.faults.Swap.Stall.Std(), s.faults.Swap.Refuse
		if refused {
			return
		}
		s.freeze(now, stall)
		number = len(e.served.swaps)
		e.served.swaps = append(e.served.swaps, Swap{Name: name, Path: path, AskedUnixNS: e.unixNS(now)})
	})
	if err != nil || refused {
		return false
	}
	time.Sleep(stall)
	return e.withScheduler(func(s *scheduler, now time.Duration) {
		if late := s.faults.Swap.Late.Std(); late > 0 {
			e.served.due = &dueSwap{at: now + late, swap: number}
			return
		}
		e.put(number, now)
	}) == nil
}

// unload takes a name out of service.
func (e *Engine) unload(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, known := e.served.named[name]
	delete(e.served.named, name)
	delete(e.served.loaded, name)
	return known
}

// swapRoutes are SGLang's update of weights from disk and vLLM's LoRA adapters. A server that has only one set of weights knows
// neither.
func (e *Engine) swapRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /sim/swaps", func(w http.ResponseWriter, _ *http.Request) { serve.JSON(w, http.StatusOK, e.Swaps()) })
	if len(e.cfg.Weights) == 0 {
		return
	}
	mux.HandleFunc("GET /model_info", e.serveModelInfo)
	mux.HandleFunc("POST /update_weights_from_disk", e.updateWeights)
	mux.HandleFunc("POST /v1/load_lora_adapter", e.loadAdapter)
	mux.HandleFunc("POST /v1/unload_lora_adapter", e.unloadAdapter)
}

func (e *Engine) serveModelInfo(w http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	e.settle(e.now())
	path := e.served.named[e.cfg.Model]
	e.mu.Unlock()
	serve.JSON(w, http.StatusOK, map[string]any{"model_path": path, "weight_version": "default", "is_generation": true})
}

// swapRequest is what is read of both calls.
type swapRequest struct {
	ModelPath string `json:"model_path"`
	LoRAName  string `json:"lora_name"`
	LoRAPath  string `json:"lora_path"`
}

func decodeSwap(w http.ResponseWriter, r *http.Request) (swapRequest, bool) {
	var req swapRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		writeError(w, badRequest("body", "the body is not a valid request: %v", err))
		return req, false
	}
	return req, true
}

func (e *Engine) updateWeights(w http.ResponseWriter, r *http.Request) {
	req, ok := decodeSwap(w, r)
	if !ok {
		return
	}
	if _, known := e.cfg.Weights[req.ModelPath]; !known {
		serve.JSON(w, http.StatusBadRequest, map[string]any{"success": false, "message": fmt.Sprintf("cannot find weights at %q", req.ModelPath)})
		return
	}
	message := "Succeeded to update model weights."
	done := e.load(e.cfg.Model, req.ModelPath)
	if !done {
		message = "Failed to update weights. Rolling back to original weights."
	}
	serve.JSON(w, http.StatusOK, map[string]any{"success": done, "message": message, "num_paused_requests": 0})
}

func (e *Engine) loadAdapter(w http.ResponseWriter, r *http.Request) {
	req, ok := decodeSwap(w, r)
	if !ok {
		return
	}
	e.mu.Lock()
	_, known := e.cfg.Weights[req.LoRAPath]
	_, taken := e.served.named[req.LoRAName]
	e.mu.Unlock()
	switch {
	case !known:
		writeError(w, &apiError{
			Message: fmt.Sprintf("Loading lora %s failed: no adapter at %s", req.LoRAName, req.LoRAPath),
			Type:    "NotFoundError", Code: http.StatusNotFound,
		})
	case taken:
		writeError(w, &apiError{
			Message: fmt.Sprintf("The lora adapter '%s' has already been loaded.", req.LoRAName),
			Type:    "InvalidUserInput", Code: http.StatusBadRequest,
		})
	case !e.load(req.LoRAName, req.LoRAPath):
		writeError(w, &apiError{Message: "Loading lora failed", Type: "InternalServerError", Code: http.StatusInternalServerError})
	default:
		_, _ = fmt.Fprintf(w, "Success: LoRA adapter '%s' added successfully.", req.LoRAName)
	}
}

func (e *Engine) unloadAdapter(w http.ResponseWriter, r *http.Request) {
	req, ok := decodeSwap(w, r)
	if !ok {
		return
	}
	if !e.unload(req.LoRAName) {
		writeError(w, &apiError{
			Message: fmt.Sprintf("The lora adapter '%s' cannot be found.", req.LoRAName), Type: "NotFoundError", Code: http.StatusNotFound,
		})
		return
	}
	_, _ = fmt.Fprintf(w, "Success: LoRA adapter '%s' removed successfully.", req.LoRAName)
}
