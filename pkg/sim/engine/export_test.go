package engine

// StartInBubble starts an engine whose scheduler can wait on the fake clock of a synctest bubble.
func StartInBubble(cfg Config) *Engine { return start(cfg, newTimerAlarm()) }
