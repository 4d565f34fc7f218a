//go:build !linux

package nginx

import (
	"errors"
	"time"
)

// sinceBoot is known on Linux only, where /proc is.
func sinceBoot() (time.Duration, error) {
	return 0, errors.New("whether NGINX took its configuration over can be seen on Linux only")
}
