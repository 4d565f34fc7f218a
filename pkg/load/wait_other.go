//go:build !linux

package load

// accurate runs dispatch with the best waiter of this system.
func accurate(dispatch func(waiter)) { dispatch(waitTimer) }
