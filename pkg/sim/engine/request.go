package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// maxBody bounds what is read of a request.
const maxBody = 32 << 20

// api is one of the two OpenAI interfaces.
type api struct {
	idPrefix, object, chunkObject string
	chat                          bool
}

var (
	chatAPI       = api{idPrefix: "chatcmpl-", object: "chat.completion", chunkObject: "chat.completion.chunk", chat: true}
	completionAPI = api{idPrefix: "cmpl-", object: "text_completion", chunkObject: "text_completion"}
)

// apiRequest is what the server reads of an OpenAI request; other fields are accepted and ignored.
type apiRequest struct {
	Model         string         `json:"model"`
	Messages      []chatMessage  `json:"messages"`
	Prompt        completionText `json:"prompt"`
	Stream        bool           `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int `json:"max_tokens"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`
	MinTokens           int  `json:"min_tokens"`
	IgnoreEOS           bool `json:"ignore_eos"`
	N                   *int `json:"n"`
}

type chatMessage struct {
	Role    string      `json:"role"`
	Content chatContent `json:"content"`
}

// chatContent is a string or an array of parts of which the text counts.
type chatContent []string

func (c *chatContent) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(b, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			*c = append(*c, p.Text)
		}
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	*c = chatContent{text}
	return nil
}

// completionText is a string, an array of one string, or an array of token numbers.
type completionText struct {
	given bool
	text  string
	ids   []int64
}

func (c *completionText) UnmarshalJSON(b []byte) error {
	c.given = !bytes.Equal(b, []byte("null"))
	if json.Unmarshal(b, &c.text) == nil {
		return nil
	}
	if json.Unmarshal(b, &c.ids) == nil {
		return nil
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil || len(list) != 1 {
		return fmt.Errorf("prompt must be a string, an array of one string, or an array of token numbers")
	}
	c.text, c.ids = list[0], nil
	return nil
}

// apiError is an error in the shape of the OpenAI API, as vLLM writes it.
type apiError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}

func badRequest(param, format string, args ...any) *apiError {
	return &apiError{Message: fmt.Sprintf(format, args...), Type: "BadRequestError", Param: &param, Code: http.StatusBadRequest}
}

// decodeRequest reads a request and its prompt.
func decodeRequest(body io.Reader, a api) (apiRequest, prompt, *apiError) {
	var req apiRequest
	p := newPrompt()
	data, err := io.ReadAll(body)
	if err == nil {
		err = json.Unmarshal(data, &req)
	}
	if err != nil {
		return req, p, badRequest("body", "the body is not a valid request: %v", err)
	}
	switch {
	case a.chat && len(req.Messages) == 0:
		return req, p, badRequest("messages", "messages must not be empty")
	case !a.chat && !req.Prompt.given:
		return req, p, badRequest("prompt", "prompt is required")
	case req.N != nil && *req.N != 1:
		return req, p, badRequest("n", "only n=1 is simulated")
	}
	for _, m := range req.Messages {
		p.add(m.Role)
		for _, text := range m.Content {
			p.add(text)
		}
	}
	p.add(req.Prompt.text)
	for _, id := range req.Prompt.ids {
		p.addID(id)
	}
	if p.tokens == 0 {
		return req, p, badRequest("prompt", "the prompt must not be empty")
	}
	return req, p, nil
}

// maxAnswer is the answer length that the request allows: what it asks, else what vLLM assumes.
func (r apiRequest) maxAnswer(cfg Config, a api, promptTokens int) (int, *apiError) {
	room := cfg.MaxModelLen - promptTokens
	if room < 1 {
		return 0, badRequest("prompt", "this model's maximum context length is %d tokens, but the prompt has %d",
			cfg.MaxModelLen, promptTokens)
	}
	asked := r.MaxTokens
	if r.MaxCompletionTokens != nil {
		asked = r.MaxCompletionTokens
	}
	switch {
	case asked == nil && a.chat:
		return room, nil
	case asked == nil:
		return min(room, 16), nil
	case *asked < 1:
		return 0, badRequest("max_tokens", "max_tokens must be at least 1, not %d", *asked)
	case *asked > room:
		return 0, badRequest("max_tokens", "max_tokens is too large: %d asked and %d in the prompt exceed the context length of %d",
			*asked, promptTokens, cfg.MaxModelLen)
	}
	return *asked, nil
}

// answer is the length of a healthy server's answer and the reason for which it ends.
func (r apiRequest) answer(cfg Config, allowed int, promptHash uint64) (tokens int, finish string) {
	natural := naturalLength(cfg.NaturalLength, promptHash)
	if r.IgnoreEOS || natural == 0 || max(natural, r.MinTokens) >= allowed {
		return allowed, "length"
	}
	return max(natural, r.MinTokens), "stop"
}
