package engine

import "errors"

var errMalformedChunk = errors.New("a chunk is not the JSON of a streamed completion")

// usage is a server's own count of tokens; has says whether the chunk held one.
type usage struct {
	has                    bool
	prompt, output, cached *int32
}

// chunk is what matters of one streamed JSON object. Its slices point into the scanned bytes, escapes left as they are.
type chunk struct {
	// choices says that there was at least one choice.
	choices bool
	// token says that some delta was not empty; visible, that it was content or a tool call.
	token, visible bool
	finish         []byte
	fingerprint    []byte
	usage          usage
	// failed says that the object reports an error; code is its code or type.
	failed bool
	code   []byte
}

// scanChunk reads one chunk without decoding it: no allocation but for token counts. Unknown and null fields are ignored.
func scanChunk(b []byte) (chunk, error) {
	s := scanner{b: b}
	var c chunk
	var flat []byte
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "choices":
			return s.nullOr(func() bool { return s.array(func() bool { return s.choice(&c) }) })
		case "usage":
			return s.usage(&c.usage)
		case "system_fingerprint":
			return s.text(&c.fingerprint)
		case "error":
			return s.failure(&c)
		case "object":
			return s.text(&flat)
		}
		return s.skip()
	})
	if !ok || !s.atEnd() {
		return chunk{}, errMalformedChunk
	}
	if string(flat) == "error" {
		c.failed = true
	}
	return c, nil
}

func (s *scanner) choice(c *chunk) bool {
	c.choices = true
	var stop []byte
	ok := s.object(func(key []byte) bool {
		switch string(key) {
		case "delta", "message":
			return s.nullOr(func() bool { return s.delta(c) })
		case "text":
			return s.content(c)
		case "finish_reason":
			return s.text(&c.finish)
		case "stop_reason":
			return s.text(&stop)
		}
		return s.skip()
	})
	if len(c.finish) == 0 {
		c.finish = stop
	}
	return ok
}

func (s *scanner) delta(c *chunk) bool {
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "content":
			return s.content(c)
		case "reasoning", "reasoning_content", "refusal":
			return s.hidden(c)
		case "tool_calls":
			return s.nullOr(func() bool { return s.array(func() bool { return s.toolCall(c) }) })
		case "function_call":
			return s.nullOr(func() bool { return s.function(c) })
		}
		return s.skip()
	})
}

func (s *scanner) content(c *chunk) bool {
	full, ok := s.filled()
	c.token = c.token || full
	c.visible = c.visible || full
	return ok
}

func (s *scanner) hidden(c *chunk) bool {
	full, ok := s.filled()
	c.token = c.token || full
	return ok
}

func (s *scanner) toolCall(c *chunk) bool {
	return s.nullOr(func() bool {
		return s.object(func(key []byte) bool {
			if string(key) == "function" {
				return s.nullOr(func() bool { return s.function(c) })
			}
			return s.skip()
		})
	})
}

func (s *scanner) function(c *chunk) bool {
	return s.object(func(key []byte) bool {
		switch string(key) {
		case "name", "arguments":
			return s.content(c)
		}
		return s.skip()
	})
}

func (s *scanner) usage(u *usage) bool {
	return s.nullOr(func() bool {
		u.has = true
		return s.object(func(key []byte) bool {
			switch string(key) {
			case "prompt_tokens":
				return s.count(&u.prompt)
			case "completion_tokens":
				return s.count(&u.output)
			case "prompt_tokens_details":
				return s.nullOr(func() bool { return s.cached(u) })
			}
			return s.skip()
		})
	})
}

func (s *scanner) cached(u *usage) bool {
	return s.object(func(key []byte) bool {
		if string(key) == "cached_tokens" {
			return s.count(&u.cached)
		}
		return s.skip()
	})
}

// failure reads an error field: null, false and the empty string mean that there was none.
func (s *scanner) failure(c *chunk) bool {
	switch s.peek() {
	case '{':
		c.failed = true
		return s.object(func(key []byte) bool {
			switch string(key) {
			case "type", "code":
				return s.code(c)
			}
			return s.skip()
		})
	case 'n', 'f':
		return s.skip()
	}
	full, ok := s.filled()
	c.failed = c.failed || full
	return ok
}

func (s *scanner) code(c *chunk) bool {
	if s.peek() == '"' {
		return s.text(&c.code)
	}
	from := s.i
	ok := s.skip()
	if ok && len(c.code) == 0 {
		c.code = s.b[from:s.i]
	}
	return ok
}
