package engine

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
)

// reply writes an answer to a client, token by token.
type reply interface {
	token(word string, last bool) error
	finish(reason string, u usage)
	fail(err *apiError)
}

// usage is the server's own count of tokens.
type usage struct{ prompt, completion, cached int }

func (u usage) appendJSON(b []byte) []byte {
	b = append(b, `{"prompt_tokens":`...)
	b = strconv.AppendInt(b, int64(u.prompt), 10)
	b = append(b, `,"total_tokens":`...)
	b = strconv.AppendInt(b, int64(u.prompt+u.completion), 10)
	b = append(b, `,"completion_tokens":`...)
	b = strconv.AppendInt(b, int64(u.completion), 10)
	b = append(b, `,"prompt_tokens_details":{"cached_tokens":`...)
	b = strconv.AppendInt(b, int64(u.cached), 10)
	return append(b, `}}`...)
}

// newReply starts the answer. A stream's header is sent at once, before the first token exists, as vLLM does.
func (x *exchange) newReply(req apiRequest, s *sequence) reply {
	if !req.Stream {
		return &wholeReply{x: x, text: make([]byte, 0, 8*s.want)}
	}
	x.streamed = true
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	out := &streamReply{
		w: x.w, flusher: http.NewResponseController(x.w), chat: x.api.chat,
		includeUsage: req.StreamOptions.IncludeUsage, head: x.chunkHead(),
	}
	x.w.WriteHeader(http.StatusOK)
	_ = out.flusher.Flush()
	return out
}

// wholeReply collects an answer that is not streamed.
type wholeReply struct {
	x    *exchange
	text []byte
}

func (o *wholeReply) token(word string, _ bool) error {
	o.text = append(o.text, word...)
	return nil
}

func (o *wholeReply) finish(reason string, u usage) {
	choice := map[string]any{"index": 0, "logprobs": nil, "finish_reason": reason, "stop_reason": nil}
	if o.x.api.chat {
		choice["message"] = map[string]string{"role": "assistant", "content": string(o.text)}
	} else {
		choice["text"] = string(o.text)
	}
	serve.JSON(o.x.w, http.StatusOK, map[string]any{
		"id": o.x.truth.ID, "object": o.x.api.object, "created": o.x.truth.ArrivalUnixNS / 1e9, "model": o.x.engine.cfg.Model,
		"choices": []any{choice}, "usage": json.RawMessage(u.appendJSON(nil)), "system_fingerprint": o.x.engine.fingerprint,
	})
}

func (o *wholeReply) fail(err *apiError) { writeError(o.x.w, err) }
