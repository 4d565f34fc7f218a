package judge

// PromptTokens is the column of the prompts' lengths by the server's own count, which the caller must not change. A length that is
// not known is NaN.
func (q *Requests) PromptTokens() []float64 { return q.promptTokens }
