package engine

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// exchange is one generation request being answered.
type exchange struct {
	engine *Engine
	w      http.ResponseWriter
	r      *http.Request
	api    api
	// weights answer the request, whatever is loaded later.
	weights Weights
	arrived time.Duration
	truth   Truth
	// streamed says whether the status 200 is out before the answer is.
	streamed bool
	// lastTick is when the newest token existed.
	lastTick time.Duration
}

// generate answers a chat or a completion request.
func (e *Engine) generate(a api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		arrived, seq := e.now(), e.requests.Add(1)
		x := &exchange{engine: e, w: w, r: r, api: a, arrived: arrived, lastTick: arrived, truth: Truth{
			Seq: seq, ID: fmt.Sprintf("%s%016x", a.idPrefix, mix(e.cfg.Seed, seq)),
			TraceParent: r.Header.Get("traceparent"), ArrivalUnixNS: e.unixNS(arrived), Status: http.StatusOK,
		}}
		x.serve()
	}
}

func (x *exchange) serve() {
	req, p, apiErr := x.decode()
	if apiErr != nil {
		x.refuse(apiErr)
		return
	}
	x.truth.PromptTokens = p.tokens
	s, apiErr := x.plan(req, p)
	if apiErr != nil {
		x.refuse(apiErr)
		return
	}
	switch err := x.engine.submit(s); {
	case errors.Is(err, errDead):
		x.refuse(unavailable(errDead.Error()))
		return
	case err != nil:
		x.cut()
		return
	}
	x.engine.metrics.promptTokens.Add(float64(p.tokens))
	x.relay(s, x.newReply(req, s))
}

// decode reads the request and checks that it asks for this server's model.
func (x *exchange) decode() (apiRequest, prompt, *apiError) {
	req, p, apiErr := decodeRequest(http.MaxBytesReader(x.w, x.r.Body, maxBody), x.api)
	weights, served := x.engine.weightsOf(req.Model)
	x.weights = weights
	if apiErr == nil && !served {
		param := "model"
		message := fmt.Sprintf("The model %q does not exist.", req.Model)
		apiErr = &apiError{Message: message, Type: "NotFoundError", Param: &param, Code: http.StatusNotFound}
	}
	return req, p, apiErr
}

// plan decides the answer's length and the request's fate.
func (x *exchange) plan(req apiRequest, p prompt) (*sequence, *apiError) {
	cfg := x.engine.cfg
	allowed, apiErr := req.maxAnswer(cfg, x.api, p.tokens)
	if apiErr != nil {
		return nil, apiErr
	}
	f := x.engine.Faults().fate(cfg.Seed, x.truth.Seq)
	switch {
	case f.rejected:
		return nil, &apiError{Message: "Too many requests", Type: "RateLimitError", Code: http.StatusTooManyRequests}
	case f.failed || x.engine.inBurst():
		return nil, &apiError{Message: "Internal server error", Type: "InternalServerError", Code: http.StatusInternalServerError}
	}
	tokens, finish := req.answer(cfg, allowed, p.hash)
	f.slow *= factor(x.weights.Slow)
	s := newSequence(p, tokens, finish, f)
	s.coldExtra = cfg.Cold.extra(x.truth.Seq - 1)
	return s, nil
}

// extra is how much longer request number k takes, counted from 0.
func (c ColdStart) extra(k uint64) time.Duration {
	n := uint64(max(0, c.Requests))
	if k >= n {
		return 0
	}
	return time.Duration(float64(c.Extra) * float64(n-k) / float64(n))
}

// relay passes tokens on as the scheduler makes them, until the answer is whole or something ends it.
func (x *exchange) relay(s *sequence, out reply) {
	for {
		select {
		case t := <-s.ticks:
			if t.err != nil {
				x.fail(out, t.err)
				return
			}
			if done := x.token(s, t, out); done {
				return
			}
		case <-x.r.Context().Done():
			x.engine.abort(s)
			x.finish("abort")
			return
		}
	}
}

// token passes one token on and reports whether it was the last thing to do.
func (x *exchange) token(s *sequence, t tick, out reply) bool {
	x.record(s, t)
	last := x.truth.OutputTokens == s.want
	word := mix(s.prompt.hash^x.weights.Answers, uint64(x.truth.OutputTokens)) //nolint:gosec // G115: not negative
	if err := out.token(vocabulary[word%uint64(len(vocabulary))], last); err != nil {
		x.engine.abort(s)
		x.finish("abort")
		return true
	}
	if s.fate.reset && 2*x.truth.OutputTokens >= s.want {
		x.engine.abort(s)
		x.cut()
		return true
	}
	if !last {
		return false
	}
	x.truth.Preemptions = s.preemptions
	x.finish(s.finish)
	out.finish(s.finish, usage{prompt: x.truth.PromptTokens, completion: x.truth.OutputTokens, cached: x.truth.CachedTokens})
	return true
}

// record notes the truth of one token.
func (x *exchange) record(s *sequence, t tick) {
	written := x.engine.now()
	us := (written - x.arrived).Microseconds()
	first := x.truth.OutputTokens == 0
	if first {
		scheduled := (s.scheduled - x.arrived).Microseconds()
		x.truth.ScheduledUS, x.truth.FirstUS, x.truth.CachedTokens = &scheduled, &us, s.cachedTokens
	}
	x.truth.OutputTokens++
	x.truth.LastUS = &us
	x.truth.LagUS = max(x.truth.LagUS, (written - t.at).Microseconds())
	if len(x.truth.TokensUS) < truthTokens {
		x.truth.TokensUS = append(x.truth.TokensUS, us)
	}
	x.engine.metrics.observeToken(t.at-x.lastTick, first)
	x.lastTick = t.at
}

// fail ends an answer that the server can no longer give.
func (x *exchange) fail(out reply, err error) {
	if !errors.Is(err, errDead) {
		x.cut()
		return
	}
	apiErr := unavailable(err.Error())
	if !x.streamed {
		x.truth.Status = apiErr.Code
	}
	x.finish("error")
	out.fail(apiErr)
}

// refuse answers with an error instead of a generation.
func (x *exchange) refuse(err *apiError) {
	x.truth.Status = err.Code
	x.close("error")
	writeError(x.w, err)
}

// cut ends the connection in the middle of the answer.
func (x *exchange) cut() {
	x.finish("error")
	cutConnection(x.w)
}

// finish counts a request that was accepted and closes its truth.
func (x *exchange) finish(reason string) {
	x.engine.metrics.observeEnd(reason, x.lastTick-x.arrived)
	x.close(reason)
}

// close writes the truth of a request down. It comes before the last bytes, so that a client which has its answer finds
// the truth about it.
func (x *exchange) close(reason string) {
	x.truth.FinishReason = reason
	x.truth.EndUS = (x.engine.now() - x.arrived).Microseconds()
	x.engine.truth.Add(x.truth)
}
