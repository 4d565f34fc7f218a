package ensemble

import (
	"errors"
	"strings"
	"unicode"
)

// How a step fails because of its shards. Each comes wrapped in a sentence that says what happened and what to do.
var (
	// ErrTooFew: not all shards came in time, or a lost one did not come back.
	ErrTooFew = errors.New("too few load workers")
	// ErrPlansDiffer: the shards would drive different plans. Trying again does not help.
	ErrPlansDiffer = errors.New("the load workers disagree about the plan")
	// ErrLate: the shards cannot agree on a start, because one hears of it too late however far ahead it is.
	ErrLate = errors.New("a load worker is too slow to start with the others")
	// ErrNoConductor: a follower found no conductor in time.
	ErrNoConductor = errors.New("no conductor")
	// ErrStopped: the conductor failed and told this follower why.
	ErrStopped = errors.New("the conductor stopped the step")
	// ErrRefused: the conductor has no place for this follower: another attempt took it, or the two do not fit together.
	// Trying the same attempt again does not help.
	ErrRefused = errors.New("the conductor refused this load worker")
)

// Causes of a drive's cancelled context.
var (
	// ErrVoid: the round is void and the block will be repeated.
	ErrVoid = errors.New("the round is void")
	// ErrConductorLost: the connection to the conductor broke.
	ErrConductorLost = errors.New("the conductor was lost")
)

// longestReason bounds what one side tells the other of an error.
const longestReason = 500

// reason makes an error fit for the other side: one printable line of bounded length.
func reason(err error) string {
	words := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(err.Error(), " "))
	words = strings.Join(strings.Fields(words), " ")
	if runes := []rune(words); len(runes) > longestReason {
		return string(runes[:longestReason-1]) + "…"
	}
	return words
}
