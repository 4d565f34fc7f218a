package engine

import (
	"slices"
	"time"
)

// scheduler is the continuous batching of one server in virtual time: durations since the start of the engine. It has no
// clock; whoever owns it calls advance when the time of next has come. A late call changes no time that it computes.
type scheduler struct {
	cfg    Config
	faults Faults
	kv     *kvCache
	noise  *noise

	waiting []*sequence
	prefill []*sequence
	running []*sequence
	// stepping says whether a decode step is in progress; it ends at stepEnd.
	stepping bool
	stepEnd  time.Duration

	// frozenUntil is when a server that stands still goes on; 0 if it does not stand.
	frozenUntil time.Duration

	admissions uint64
	// dead is set once memory ran out.
	dead bool

	preemptions, cacheQueries, cacheHits uint64
}

func newScheduler(cfg Config) *scheduler {
	return &scheduler{
		cfg: cfg, faults: cfg.Faults,
		kv: newKVCache(cfg.KVTokens, cfg.PrefixCache), noise: newNoise(cfg.Noise, cfg.Seed),
	}
}

// add queues a sequence that arrives now.
func (c *scheduler) add(s *sequence, now time.Duration) {
	s.arrived = now
	c.waiting = append(c.waiting, s)
	c.admit(now)
}

// next is the time of the earliest event, if there is one.
func (c *scheduler) next() (time.Duration, bool) {
	var at time.Duration
	found := false
	consider := func(t time.Duration) {
		if !found || t < at {
			at, found = t, true
		}
	}
	for _, s := range c.prefill {
		consider(s.readyAt)
	}
	if c.frozenUntil > 0 {
		consider(c.frozenUntil)
	}
	if c.stepping {
		consider(c.stepEnd)
		return at, found
	}
	for _, s := range c.running {
		consider(s.stalledUntil)
	}
	return at, found
}

// advance handles every event up to now, in the order of time.
func (c *scheduler) advance(now time.Duration) {
	for {
		at, ok := c.next()
		if !ok || at > now {
			return
		}
		if c.frozenUntil <= at {
			c.frozenUntil = 0
		}
		c.finishPrefills(at)
		if c.stepping && c.stepEnd <= at {
			c.endStep(at)
		}
		c.admit(at)
		c.beginStep(at)
	}
}

// freeze makes the server stand still: what is in service goes on later by d, and nothing new begins before.
func (c *scheduler) freeze(now, d time.Duration) {
	if d <= 0 {
		return
	}
	for _, s := range c.prefill {
		s.readyAt += d
	}
	for _, s := range c.running {
		if s.stalledUntil > now {
			s.stalledUntil += d
		}
	}
	c.stepEnd += d
	c.frozenUntil = max(c.frozenUntil, now) + d
}

// admit moves waiting sequences into prefill, first come first served, while there is room.
func (c *scheduler) admit(now time.Duration) {
	for c.frozenUntil == 0 && len(c.waiting) > 0 && c.active() < c.cfg.MaxBatch {
		s := c.waiting[0]
		l, ok := c.kv.acquire(s.prompt, s.tokens()+1)
		if !ok {
			if c.active() == 0 {
				c.die(now)
			}
			return
		}
		c.waiting = c.waiting[1:]
		c.startPrefill(s, l, now)
	}
}

func (c *scheduler) startPrefill(s *sequence, l lease, now time.Duration) {
	if s.preemptions == 0 {
		s.scheduled, s.cachedTokens = now, l.cachedTokens
		c.cacheQueries += uint64(s.prompt.tokens) //nolint:gosec // G115: lengths are not negative
		c.cacheHits += uint64(l.cachedTokens)     //nolint:gosec // G115: lengths are not negative
	}
	s.lease = l
	s.readyAt = now + c.prefillTime(s, now)
	c.admissions++
	s.admission = c.admissions
	c.prefill = append(c.prefill, s)
}

func (c *scheduler) prefillTime(s *sequence, now time.Duration) time.Duration {
	computed := float64(s.tokens() - s.lease.cachedTokens)
	seconds := c.cfg.Prefill.Base.Seconds() + computed/c.cfg.Prefill.TokensPerSecond
	seconds *= 1 + c.cfg.Prefill.Contention*float64(len(c.prefill))
	seconds *= factor(c.faults.PrefillSlowdown) * s.fate.slow * c.noise.prefill(now)
	d := time.Duration(seconds * float64(time.Second))
	if s.preemptions == 0 {
		d += s.coldExtra
	}
	return d
}

// finishPrefills gives every sequence whose prefill is over its first token and a place in the batch.
func (c *scheduler) finishPrefills(now time.Duration) {
	for _, s := range slices.Clone(c.prefill) {
		if s.readyAt > now {
			continue
		}
		c.prefill = without(c.prefill, s)
		c.kv.publish(&s.lease, s.prompt)
		s.emit(now)
		if s.done() {
			c.retire(s)
			continue
		}
		c.running = append(c.running, s)
	}
}

// beginStep starts a decode step over the running sequences that are not held up.
func (c *scheduler) beginStep(now time.Duration) {
	if c.stepping {
		return
	}
	n, context := 0, 0
	for _, s := range c.running {
		s.inStep = s.stalledUntil <= now
		if s.inStep {
			n++
			context += s.tokens()
		}
	}
	if n == 0 {
		return
	}
	d := c.cfg.Decode
	cost := float64(d.Base) + float64(d.PerSequence)*float64(n) + float64(d.PerContextToken)*float64(context)
	cost *= factor(c.faults.DecodeSlowdown) * c.noise.decode(now)
	c.stepping, c.stepEnd = true, now+time.Duration(cost)
}

// endStep gives one token to every sequence of the step, preempting others where the KV cache is full.
func (c *scheduler) endStep(now time.Duration) {
	c.stepping = false
	for _, s := range slices.Clone(c.running) {
		if !s.inStep {
			continue
		}
		s.inStep = false
		s.credit += 1 / s.fate.slow
		if s.credit < 1-1e-9 {
			continue
		}
		s.credit--
		if !c.makeRoom(s) {
			continue
		}
		s.emit(now)
		if s.done() {
			c.running = without(c.running, s)
			c.retire(s)
		}
	}
}

// makeRoom finds KV cache for one more token of s. It preempts the sequence admitted last until there is room, and
// reports false when that was s itself.
func (c *scheduler) makeRoom(s *sequence) bool {
	for !c.kv.grow(&s.lease, s.tokens()+1) {
		victim := c.lastAdmitted()
		c.preempt(victim)
		if victim == s {
			return false
		}
	}
	return true
}

func (c *scheduler) lastAdmitted() *sequence {
	var last *sequence
	for _, group := range [][]*sequence{c.running, c.prefill} {
		for _, s := range group {
			if last == nil || s.admission > last.admission {
				last = s
			}
		}
	}
	return last
}

// preempt takes everything from a sequence and puts it first in the queue; its tokens are computed again later.
func (c *scheduler) preempt(s *sequence) {
	c.drop(s)
	s.inStep, s.preemptions = false, s.preemptions+1
	c.preemptions++
	c.waiting = slices.Insert(c.waiting, 0, s)
}

// retire ends the service of a sequence that has its whole answer.
func (c *scheduler) retire(s *sequence) {
	c.kv.release(&s.lease)
	c.kv.leakedTokens += c.faults.MemoryLeak
}

// abort forgets a sequence whose client has gone.
func (c *scheduler) abort(s *sequence, now time.Duration) {
	c.drop(s)
	c.waiting = without(c.waiting, s)
	c.admit(now)
}

// drop takes an active sequence out of service.
func (c *scheduler) drop(s *sequence) {
	c.prefill, c.running = without(c.prefill, s), without(c.running, s)
	c.kv.release(&s.lease)
}

// failAll ends every sequence with err.
func (c *scheduler) failAll(now time.Duration, err error) {
	for _, s := range slices.Concat(c.running, c.prefill, c.waiting) {
		c.kv.release(&s.lease)
		s.fail(now, err)
	}
	c.running, c.prefill, c.waiting, c.stepping = nil, nil, nil, false
}

// die is the end of a server whose memory does not suffice for a single request.
func (c *scheduler) die(now time.Duration) {
	c.dead = true
	c.failAll(now, errDead)
}

// setFaults changes what is wrong from now on. Without a leak the leaked memory is back and a dead server lives again.
func (c *scheduler) setFaults(f Faults, now time.Duration) {
	c.faults = f
	if f.MemoryLeak == 0 {
		c.kv.leakedTokens, c.dead = 0, false
	}
	if f.Crash {
		c.failAll(now, errCrashed)
	}
}

func (c *scheduler) active() int { return len(c.prefill) + len(c.running) }

func without(list []*sequence, s *sequence) []*sequence {
	if i := slices.Index(list, s); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
