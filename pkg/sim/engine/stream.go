package engine

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// vocabulary is what answers consist of; every word is one token and needs no escaping in JSON.
var vocabulary = [...]string{
	" the", " model", " answers", " with", " plain", " words", " and", " every", " word", " is", " one", " token",
	" so", " a", " reader", " can", " count", " them", " at", " once", " while", " load", " rises", " or", " falls", " again",
}

// streamReply writes server-sent events. Chunks are put together from prepared pieces: at thousands of tokens a second
// their encoding would otherwise be what the simulator spends its time on.
type streamReply struct {
	w            http.ResponseWriter
	flusher      *http.ResponseController
	chat         bool
	includeUsage bool
	head         []byte
	buf          []byte
	begun        bool
}

// chunkHead is what every chunk of a stream begins with, up to its choices.
func (x *exchange) chunkHead() []byte {
	b := append([]byte(nil), `data: {"id":"`+x.truth.ID+`","object":"`+x.api.chunkObject+`","created":`...)
	b = strconv.AppendInt(b, x.truth.ArrivalUnixNS/1e9, 10)
	b = append(b, `,"model":`...)
	b = append(b, quoted(x.engine.cfg.Model)...)
	b = append(b, `,"system_fingerprint":`...)
	b = append(b, quoted(x.engine.fingerprint)...)
	return append(b, `,"choices":[`...)
}

const (
	deltaEnd = `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
	textEnd  = `,"logprobs":null,"finish_reason":null,"stop_reason":null}]}` + "\n\n"
)

// token writes a chunk with one word and flushes it, unless the end of the answer follows at once.
func (o *streamReply) token(word string, last bool) error {
	if o.chat {
		if !o.begun {
			o.chunk(`{"index":0,"delta":{"role":"assistant","content":""}`, deltaEnd)
		}
		o.chunk(`{"index":0,"delta":{"content":"`, word, `"}`, deltaEnd)
	} else {
		o.chunk(`{"index":0,"text":"`, word, `"`, textEnd)
	}
	o.begun = true
	if last {
		return nil
	}
	return o.flush()
}

// finish writes the chunk with the finish reason, the usage if it was asked for, and the terminator.
func (o *streamReply) finish(reason string, u usage) {
	body := `{"index":0,"text":""`
	if o.chat {
		body = `{"index":0,"delta":{}`
	}
	o.chunk(body, `,"logprobs":null,"finish_reason":"`, reason, `","stop_reason":null}]}`, "\n\n")
	if o.includeUsage {
		o.chunk(`],"usage":`)
		o.buf = u.appendJSON(o.buf)
		o.buf = append(o.buf, "}\n\n"...)
	}
	o.buf = append(o.buf, "data: [DONE]\n\n"...)
	_ = o.flush()
}

// fail writes the error as an event, since the status 200 is already out.
func (o *streamReply) fail(err *apiError) {
	data, marshalErr := json.Marshal(map[string]*apiError{"error": err})
	if marshalErr == nil {
		o.buf = append(append(append(o.buf, "data: "...), data...), "\n\ndata: [DONE]\n\n"...)
		_ = o.flush()
	}
}

func (o *streamReply) chunk(pieces ...string) {
	o.buf = append(o.buf, o.head...)
	for _, p := range pieces {
		o.buf = append(o.buf, p...)
	}
}

func (o *streamReply) flush() error {
	_, err := o.w.Write(o.buf)
	o.buf = o.buf[:0]
	if err != nil {
		return err
	}
	return o.flusher.Flush()
}

func quoted(s string) []byte {
	data, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`)
	}
	return data
}
