package gateway

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
	"github.com/swapgate/swapgate/pkg/swap"
)

// AdminHandler is the admin API.
func (g *Gateway) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /admin/weights", g.getWeights)
	mux.HandleFunc("PUT /admin/weights", g.putWeights)
	mux.HandleFunc("GET /admin/counters", g.getCounters)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := []byte(r.Header.Get("Authorization"))
		if g.cfg.AdminToken != "" && subtle.ConstantTimeCompare(given, []byte("Bearer "+g.cfg.AdminToken)) != 1 {
			writeError(w, http.StatusUnauthorized, "the admin API needs its bearer token")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (g *Gateway) getWeights(w http.ResponseWriter, _ *http.Request) {
	writeState(w, http.StatusOK, g.split.read())
}

func (g *Gateway) putWeights(w http.ResponseWriter, r *http.Request) {
	want, version, err := decodeWeights(w, r)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	got, err := g.split.set(want, version)
	switch {
	case errors.Is(err, errConflict):
		writeError(w, http.StatusConflict, fmt.Sprintf("%v: it is %d; read the weights and decide again", err, got.Version))
	case err != nil:
		writeError(w, http.StatusInternalServerError, err.Error())
	default:
		writeState(w, http.StatusOK, got)
	}
}

// decodeWeights reads the wanted weights and the version to compare with, from If-Match or from the body.
func decodeWeights(w http.ResponseWriter, r *http.Request) (swap.Weights, *int64, error) {
	var body struct {
		Baseline  *int   `json:"baseline"`
		Candidate *int   `json:"candidate"`
		Version   *int64 `json:"version"`
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil {
		return swap.Weights{}, nil, fmt.Errorf("the body is not a JSON object of weights: %w", err)
	}
	if body.Baseline == nil || body.Candidate == nil {
		return swap.Weights{}, nil, errors.New("both baseline and candidate must be given")
	}
	if tag := r.Header.Get("If-Match"); tag != "" && tag != "*" {
		version, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
		if err != nil {
			return swap.Weights{}, nil, errors.New("If-Match is the version of the weights, a whole number")
		}
		body.Version = &version
	}
	want := swap.Weights{Baseline: *body.Baseline, Candidate: *body.Candidate}
	return want, body.Version, checkWeights(want)
}

func (g *Gateway) getCounters(w http.ResponseWriter, _ *http.Request) {
	serve.JSON(w, http.StatusOK, swap.PerArm[ArmCounters]{
		Baseline: g.meters.Baseline.read(), Candidate: g.meters.Candidate.read(),
	})
}

func writeState(w http.ResponseWriter, status int, s state) {
	w.Header().Set("ETag", strconv.Quote(strconv.FormatInt(s.Version, 10)))
	serve.JSON(w, status, s)
}

func writeError(w http.ResponseWriter, status int, message string) {
	serve.JSON(w, status, map[string]string{"error": message})
}
