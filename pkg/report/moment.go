package report

import (
	"time"

	"github.com/swapgate/swapgate/pkg/report/phrase"
)

// moment is a time as a person reads it, in UTC.
func moment(t time.Time) string {
	if t.IsZero() {
		return phrase.NA
	}
	return t.UTC().Format("2 Jan 2006 15:04:05 UTC")
}

// clock is a time of day in UTC.
func clock(t time.Time) string {
	if t.IsZero() {
		return phrase.NA
	}
	return t.UTC().Format("15:04:05")
}
