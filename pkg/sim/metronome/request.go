package metronome

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxBody bounds what is read of a request.
	maxBody = 32 << 20
	// maxTokens bounds an answer, and defaultTokens is its length where the request does not say.
	maxTokens     = 1 << 20
	defaultTokens = 16
	// bytesPerToken estimates the length of a prompt.
	bytesPerToken = 4
)

// ask is what the server reads of an OpenAI request; other fields are accepted and ignored.
type ask struct {
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int `json:"max_tokens"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`

	promptTokens int
}

// tokens is the length of the answer.
func (a ask) tokens() int {
	switch {
	case a.MaxCompletionTokens != nil:
		return *a.MaxCompletionTokens
	case a.MaxTokens != nil:
		return *a.MaxTokens
	}
	return defaultTokens
}

// decode reads a request.
func decode(body io.Reader) (ask, error) {
	var a ask
	data, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err == nil && len(data) > maxBody {
		err = fmt.Errorf("it is longer than %d bytes", maxBody)
	}
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	switch {
	case err != nil:
		return ask{}, fmt.Errorf("the body is not a valid request: %w", err)
	case !a.Stream:
		return ask{}, fmt.Errorf("only stream: true is answered")
	case a.tokens() < 1 || a.tokens() > maxTokens:
		return ask{}, fmt.Errorf("max_tokens must be from 1 to %d, not %d", maxTokens, a.tokens())
	}
	a.promptTokens = max(1, len(data)/bytesPerToken)
	return a, nil
}

// apiError is an error in the shape of the OpenAI API.
type apiError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    int    `json:"code"`
}

func badRequest(err error) *apiError {
	return &apiError{Message: err.Error(), Type: "BadRequestError", Code: http.StatusBadRequest}
}
