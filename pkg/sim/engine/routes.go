package engine

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
)

func (e *Engine) newRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", e.generate(chatAPI))
	mux.HandleFunc("POST /v1/completions", e.generate(completionAPI))
	mux.HandleFunc("GET /v1/models", e.serveModels)
	mux.HandleFunc("GET /version", e.serveVersion)
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("GET /metrics", e.metrics.page)
	mux.HandleFunc("POST /reset_prefix_cache", e.resetPrefixCache)
	mux.HandleFunc("POST /sim/reset_prefix_cache", e.resetPrefixCache)
	mux.HandleFunc("GET /sim/faults", e.getFaults)
	mux.HandleFunc("PUT /sim/faults", e.putFaults)
	mux.HandleFunc("GET /sim/truth", e.serveTruth)
	e.swapRoutes(mux)
	return mux
}

// ServeHTTP answers as the server in its present state would.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/sim/") {
		e.routes.ServeHTTP(w, r)
		return
	}
	e.mu.Lock()
	crashed, dead := e.sched.faults.Crash || e.closed, e.sched.dead
	e.mu.Unlock()
	switch {
	case crashed:
		cutConnection(w)
	case dead:
		writeError(w, unavailable(errDead.Error()))
	case e.now() < e.cfg.Loading.Std():
		writeError(w, unavailable("the model is loading"))
	case !e.authorized(r):
		writeError(w, &apiError{Message: "Unauthorized", Type: "AuthenticationError", Code: http.StatusUnauthorized})
	default:
		e.routes.ServeHTTP(w, r)
	}
}

func (e *Engine) authorized(r *http.Request) bool {
	if e.cfg.APIKey == "" || !strings.HasPrefix(r.URL.Path, "/v1/") {
		return true
	}
	given := []byte(r.Header.Get("Authorization"))
	return subtle.ConstantTimeCompare(given, []byte("Bearer "+e.cfg.APIKey)) == 1
}

func (e *Engine) serveModels(w http.ResponseWriter, _ *http.Request) {
	card := func(id, root string, parent any) map[string]any {
		return map[string]any{
			"id": id, "object": "model", "created": e.started.Unix(), "owned_by": "vllm",
			"root": root, "parent": parent, "max_model_len": e.cfg.MaxModelLen,
		}
	}
	data := []map[string]any{card(e.cfg.Model, e.cfg.Model, nil)}
	for name, path := range e.adapters() {
		data = append(data, card(name, path, e.cfg.Model))
	}
	serve.JSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (e *Engine) serveVersion(w http.ResponseWriter, _ *http.Request) {
	serve.JSON(w, http.StatusOK, map[string]string{"version": e.cfg.Version})
}

func unavailable(message string) *apiError {
	return &apiError{Message: message, Type: "ServiceUnavailable", Code: http.StatusServiceUnavailable}
}

func writeError(w http.ResponseWriter, err *apiError) {
	if err.Code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	serve.JSON(w, err.Code, map[string]*apiError{"error": err})
}

// cutConnection ends a connection with a TCP reset, as the death of a process does.
func cutConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
