package metronome

import (
	"encoding/json"
	"fmt"
)

// streamHead answers a request whose body will be a stream.
const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n" +
	"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"

// voice is one of the two OpenAI interfaces with its tokens ready to be written, as chunks of HTTP/1.1.
type voice struct {
	idPrefix string
	head     string
	// token and end are the events of a token and of the finish reason, first what precedes the first token.
	first, token, end string
	// opening is the HTTP chunk of a first token, middle that of any further token but the last.
	opening, middle []byte
}

const (
	deltaEnd = `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
	textEnd  = `,"logprobs":null,"finish_reason":null,"stop_reason":null}]}` + "\n\n"
	stop     = `,"logprobs":null,"finish_reason":"length","stop_reason":null}]}` + "\n\n"
)

func chatVoice(model string, created int64) *voice {
	v := &voice{idPrefix: "chatcmpl-", head: eventHead("chatcmpl-metronome", "chat.completion.chunk", model, created)}
	v.first = v.head + `{"index":0,"delta":{"role":"assistant","content":""}` + deltaEnd
	v.token = v.head + `{"index":0,"delta":{"content":" tick"}` + deltaEnd
	v.end = v.head + `{"index":0,"delta":{}` + stop
	return v.prepared()
}

func completionVoice(model string, created int64) *voice {
	v := &voice{idPrefix: "cmpl-", head: eventHead("cmpl-metronome", "text_completion", model, created)}
	v.token = v.head + `{"index":0,"text":" tick"` + textEnd
	v.end = v.head + `{"index":0,"text":""` + stop
	return v.prepared()
}

func (v *voice) prepared() *voice {
	v.opening, v.middle = httpChunk(v.first+v.token), httpChunk(v.token)
	return v
}

func eventHead(id, object, model string, created int64) string {
	name, err := json.Marshal(model)
	if err != nil {
		name = []byte(`""`)
	}
	return fmt.Sprintf(`data: {"id":"%s","object":"%s","created":%d,"model":%s,"system_fingerprint":"metronome","choices":[`,
		id, object, created, name)
}

// closing is what is written in place of the last token's chunk: the token, the finish reason, the usage if it was asked
// for, the terminator and the end of the body.
func (v *voice) closing(a ask) []byte {
	n := a.tokens()
	events := v.token + v.end
	if n == 1 {
		events = v.first + events
	}
	if a.StreamOptions.IncludeUsage {
		events += fmt.Sprintf(`%s],"usage":{"prompt_tokens":%d,"total_tokens":%d,"completion_tokens":%d}}`+"\n\n",
			v.head, a.promptTokens, a.promptTokens+n, n)
	}
	return append(httpChunk(events+"data: [DONE]\n\n"), "0\r\n\r\n"...)
}

func httpChunk(data string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(data), data) }
