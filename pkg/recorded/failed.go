package recorded

import (
	"regexp"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// statusIn finds an HTTP status in an error's text, such as "HTTP Error 503" or "status_code=429".
var statusIn = regexp.MustCompile(`(?i)(?:http|status|code|error)\D{0,12}([45]\d\d)\b`)

// reasonPhrases are the texts of refusals that vLLM bench keeps without their number.
var reasonPhrases = map[string]swap.Outcome{
	"too many requests": swap.HTTP429, "bad request": swap.HTTP4xx, "not found": swap.HTTP4xx, "unauthorized": swap.HTTP4xx,
	"forbidden": swap.HTTP4xx, "unprocessable entity": swap.HTTP4xx, "internal server error": swap.HTTP5xx, "bad gateway": swap.HTTP5xx,
	"service unavailable": swap.HTTP5xx, "gateway timeout": swap.HTTP5xx,
}

// ByStatus is the outcome of a refusal by an HTTP status, and false for any other number.
func ByStatus(code int) (swap.Outcome, bool) {
	switch {
	case code == 429:
		return swap.HTTP429, true
	case code >= 400 && code < 500:
		return swap.HTTP4xx, true
	case code >= 500 && code < 600:
		return swap.HTTP5xx, true
	}
	return "", false
}

// FailedBy is the outcome of a failed request by what its tool says of the error. What is not recognised is a stream error.
func FailedBy(text string) swap.Outcome {
	lower := strings.ToLower(text)
	if m := statusIn.FindStringSubmatch(lower); m != nil {
		code := int(m[1][0]-'0')*100 + int(m[1][1]-'0')*10 + int(m[1][2]-'0')
		if o, ok := ByStatus(code); ok {
			return o
		}
	}
	if o, ok := reasonPhrases[strings.TrimSpace(lower)]; ok {
		return o
	}
	switch {
	case strings.Contains(lower, "timeout"), strings.Contains(lower, "timed out"):
		return swap.TimeoutTotal
	case strings.Contains(lower, "connect") && strings.Contains(lower, "refused"), strings.Contains(lower, "cannot connect"):
		return swap.ConnectFailed
	case strings.Contains(lower, "reset"), strings.Contains(lower, "disconnect"), strings.Contains(lower, "payload"):
		return swap.ResetMidStream
	}
	return swap.StreamError
}

// Answer is the outcome of a request that its tool counts as a success. One that holds nothing of an answer is a problem of its field.
func (p *Problems) Answer(field string, r Request) swap.Outcome {
	if !r.TTFT.Valid() && !r.E2E.Valid() && !r.OutputTokens.Valid() {
		p.Add(strings.TrimSuffix(field, "."), "give the file as the tool wrote it; a failed request holds its error",
			"holds neither an error nor a latency or a number of tokens, so that nothing says what became of the request")
	}
	return answered(r.OutputTokens)
}

// answered is the outcome of a request that its tool counts as a success: Empty where it holds no token.
func answered(tokens swap.Value) swap.Outcome {
	if tokens.Valid() && tokens.Or(0) == 0 {
		return swap.Empty
	}
	return swap.OK
}
