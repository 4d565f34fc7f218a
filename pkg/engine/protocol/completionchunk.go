package protocol

// completionScanner reads chunks of OpenAI's chat and text completions.
type completionScanner struct {
	running  running
	template template
}

func (s *completionScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	if !s.template.fill(json, c) {
		*c = Chunk{}
		w := s.template.learn(json)
		w.completion(c)
		if !w.complete() {
			*c = Chunk{}
			return ErrMalformed
		}
		s.template.keep(c)
	}
	s.running.note(c)
	return nil
}

func (w *walker) completion(c *Chunk) {
	var object []byte
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "choices":
			w.choices(c)
		case "usage":
			w.usage(&c.Usage)
		case "system_fingerprint":
			w.text(&c.Fingerprint)
		case "error":
			w.failure(c)
		case "object":
			w.text(&object)
		default:
			w.skip()
		}
	}
	if string(object) == "error" {
		c.Failed = true
		if len(c.Code) == 0 {
			c.Code = codeOf(w.b)
		}
	}
}

func (w *walker) choices(c *Chunk) {
	if w.null() {
		return
	}
	for more := w.firstElement(); more; more = w.nextElement() {
		c.Choices = true
		w.choice(c)
	}
}

func (w *walker) choice(c *Chunk) {
	var stop []byte
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "delta", "message":
			w.delta(c)
		case "text":
			w.content(c)
		case "finish_reason":
			w.text(&c.Finish)
		case "stop_reason":
			w.text(&stop)
		default:
			w.skip()
		}
	}
	if len(c.Finish) == 0 {
		c.Finish = stop
	}
}

func (w *walker) delta(c *Chunk) {
	if w.null() {
		return
	}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "content":
			w.content(c)
		case "reasoning", "reasoning_content", "refusal":
			w.hidden(c)
		case "tool_calls":
			w.toolCalls(c)
		case "function_call":
			w.function(c)
		default:
			w.skip()
		}
	}
}

func (w *walker) toolCalls(c *Chunk) {
	if w.null() {
		return
	}
	for more := w.firstElement(); more; more = w.nextElement() {
		w.toolCall(c)
	}
}

func (w *walker) toolCall(c *Chunk) {
	if w.null() {
		return
	}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		if string(key) == "function" {
			w.function(c)
		} else {
			w.skip()
		}
	}
}

func (w *walker) function(c *Chunk) {
	if w.null() {
		return
	}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "name", "arguments":
			w.shown(c)
		default:
			w.skip()
		}
	}
}

func (w *walker) usage(u *Usage) {
	if w.null() {
		return
	}
	u.Has = true
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "prompt_tokens":
			w.markedCount(holePrompt, &u.Prompt)
		case "completion_tokens":
			w.markedCount(holeOutput, &u.Output)
		case "total_tokens":
			var total Count
			w.markedCount(holeTotal, &total)
		case "prompt_tokens_details":
			w.cached(u)
		default:
			w.skip()
		}
	}
}

func (w *walker) cached(u *Usage) {
	if w.null() {
		return
	}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		if string(key) == "cached_tokens" {
			w.markedCount(holeCached, &u.Cached)
		} else {
			w.skip()
		}
	}
}
